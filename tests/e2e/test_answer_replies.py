"""However a gateway replies, `web_answer` gives the answer, or says what really went wrong."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from research_mcp.providers.kit.answer.configured import AnswerType
from research_mcp.providers.vendors.grok import ChatAnswer, GrokAnswer
from tests.kit.answers import A, B, Bench, FakeSearcher, body, chat, events, hits, message
from tests.kit.virtual_time import run
from tests.kit.wire import KEY

GATEWAY = "http://gateway.test"


def answered(reply: httpx.Response, type_: type[AnswerType] = GrokAnswer, **more: Any) -> Any:
    """The structured answer for one reply."""
    result = Bench(reply, type_=type_, base_url=GATEWAY, **more).call(extra_sources=0)
    assert not result.is_error, result.content[0].text
    return result.structured_content


def failed(reply: Any, type_: type[AnswerType] = GrokAnswer, **more: Any) -> str:
    """The error text where nothing else was found."""
    result = Bench(reply, type_=type_, base_url=GATEWAY, **more).call()
    assert result.is_error
    assert result.structured_content is None
    assert KEY not in result.content[0].text
    return result.content[0].text


def delta(text: Any, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text, **more}}]}


LINKED = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "citations": [A]}


class TestFailuresAreNeverEmptyAnswers:
    def test_a_server_error_on_all_attempts_names_status_and_attempts(self) -> None:
        text = failed(body({"error": "boom"}, 500))
        assert "status 500" in text
        assert "after 2 attempts" in text
        assert "grok_provider_error" in text
        assert "duckduckgo blocked (a captcha)" in text

    @pytest.mark.parametrize("type_", [GrokAnswer, ChatAnswer])
    @pytest.mark.parametrize(
        "reply", [body({"error": {"message": "quota"}}), events({"error": {"message": "quota"}})]
    )
    def test_an_error_under_status_200_is_quoted(
        self, reply: httpx.Response, type_: type[AnswerType]
    ) -> None:
        text = failed(reply, type_)
        assert "the provider reports: quota" in text
        assert "out_of_credits" in text

    @pytest.mark.parametrize(
        "reply",
        [
            body({"choices": None}, **{"x-request-id": "req-7"}),
            httpx.Response(
                200,
                text='data: {"choices": null}\n\n',
                headers={"content-type": "text/event-stream", "x-request-id": "req-7"},
            ),
        ],
    )
    def test_an_empty_placeholder_is_named_with_its_request(self, reply: httpx.Response) -> None:
        assert "empty placeholder (request req-7)" in failed(reply, ChatAnswer)

    def test_a_login_page_is_named_and_not_retried(self) -> None:
        bench = Bench(httpx.Response(200, text="<html><body>login</body></html>"), base_url=GATEWAY)
        assert "the gateway returned HTML" in bench.call().content[0].text
        assert len(bench.wire.sent) == 1

    @pytest.mark.parametrize("content", [None, "", []])
    def test_no_content_is_the_empty_path_and_never_null(self, content: Any) -> None:
        assert "grok_content_empty" in failed(body(chat(content)), ChatAnswer)

    def test_reasoning_alone_is_no_answer(self) -> None:
        text = failed(events(delta(None, reasoning_content="secret thought"), delta(None)), ChatAnswer)
        assert "grok_content_empty" in text
        assert "secret thought" not in text

    def test_an_error_event_is_the_providers_word(self) -> None:
        text = failed(events({"type": "error", "code": "server_error", "message": "engine overheated"}))
        assert "the provider reports: engine overheated" in text
        assert "grok_provider_error" in text

    def test_a_failed_response_is_the_providers_word(self) -> None:
        text = failed(
            events(
                {"type": "response.failed", "response": {"status": "failed", "error": {"message": "no luck"}}}
            )
        )
        assert "no luck" in text

    def test_keys_in_the_providers_words_are_hidden(self) -> None:
        text = failed(
            body({"code": "x", "error": f"Incorrect API key provided: xai-abcdefgh and {KEY}."}, 400)
        )
        assert "xai-abcdefgh" not in text
        assert "grok_auth_error" in text

    def test_a_wrong_address_is_named_as_one(self) -> None:
        assert "no such endpoint (status 404)" in failed(body({"error": "not found"}, 404))

    @pytest.mark.parametrize("raw", [b"", b"[]", b"null", b'"text"', b"data: x\n\n", b"{}", b"\xff\xfe"])
    def test_other_bodies_are_unreadable(self, raw: bytes) -> None:
        assert "grok_parse_error" in failed(httpx.Response(200, content=raw))


class TestChat:
    def test_null_deltas_are_passed_over(self) -> None:
        assert answered(events(delta(None), delta("hi"), LINKED), ChatAnswer)["content"] == "hi"

    def test_content_may_be_a_list_of_parts(self) -> None:
        assert (
            answered(events(delta([{"type": "text", "text": "hi"}]), LINKED), ChatAnswer)["content"] == "hi"
        )

    def test_a_whole_message_may_stand_in_a_frame(self) -> None:
        assert answered(events(chat("hi", citations=[A])), ChatAnswer)["content"] == "hi"

    def test_an_event_may_have_several_data_lines_and_comments(self) -> None:
        stream = ': ping\n\ndata: {"choices": [{"delta":\ndata:{"content": "hi"}}]}\n: ping\n\n'
        assert answered(events(stream, LINKED), ChatAnswer)["content"] == "hi"

    def test_comments_before_a_json_body_are_passed_over(self) -> None:
        text = ": ping\n\n: ping\n" + json.dumps(chat("hi", citations=[A]))
        assert answered(httpx.Response(200, text=text), ChatAnswer)["content"] == "hi"

    def test_a_responses_body_is_understood(self) -> None:
        assert answered(body(message("hi", A)), ChatAnswer)["content"] == "hi"

    @pytest.mark.parametrize(
        "where",
        [
            {"annotations": [{"type": "url_citation", "url_citation": {"url": A, "title": "Alpha"}}]},
            {"annotations": [{"type": "url_citation", "url": A, "title": "Alpha"}]},
            {"citations": [{"url": A, "title": "Alpha"}]},
            {"search_sources": [{"uri": A, "title": "Alpha", "type": "web"}]},
        ],
    )
    def test_sources_are_found_in_every_place(self, where: dict[str, Any]) -> None:
        (source,) = answered(body(chat("hi", **where)), ChatAnswer)["sources"]
        assert (source["url"], source["title"], source["provenance"]) == (A, "Alpha", ["openai_compatible"])

    def test_plain_numbers_count_the_list_of_citations(self) -> None:
        found = answered(body({**chat("Grew [2]."), "citations": [A, B]}), ChatAnswer)
        assert [source["use"] for source in found["sources"]] == ["visited", "cited"]
        assert found["content"] == "Grew [2]."

    def test_a_stream_without_an_end_is_partial(self) -> None:
        found = answered(events(delta("**Tides"), {"citations": [A], "choices": []}, end=""), ChatAnswer)
        assert (found["content"], found["partial"]) == ("**Tides", True)

    def test_a_whole_reply_is_not_partial(self) -> None:
        assert answered(events(delta("hi"), LINKED), ChatAnswer)["partial"] is False

    def test_a_reply_cut_at_its_longest_is_partial(self) -> None:
        reply = {"choices": [{"message": {"content": "hi", "citations": [A]}, "finish_reason": "length"}]}
        assert answered(body(reply), ChatAnswer)["partial"] is True


class TestResponses:
    @pytest.mark.parametrize(
        "first", [[], [{"type": "reasoning", "content": [{"type": "text", "text": "no"}]}]]
    )
    def test_only_messages_make_the_answer(self, first: list[Any]) -> None:
        reply = message("A", A)
        reply["output"] = [*first, *reply["output"]]
        assert answered(body(reply))["content"] == "A"

    def test_a_text_that_is_stated_twice_is_given_once(self) -> None:
        reply = message("", A, output_text="A B")
        reply["output"][1]["content"] = [
            {"type": "output_text", "text": "A ", "annotations": [{"url": A}]},
            {"type": "output_text", "text": "B"},
        ]
        assert answered(body(reply))["content"] == "A B"

    def test_one_broken_frame_spoils_nothing(self) -> None:
        final = {"type": "response.completed", "response": message("hi", A)}
        found = answered(events("data: {broken\n\n", final, "data: nonsense\n\n"))
        assert (found["content"], found["sources_count"]) == ("hi", 1)
        assert found["warnings"] == ["broken_events: 2 events of the reply could not be read"]

    @pytest.mark.parametrize(
        "end", ["data: [DONE]\n\n", 'data: {"type": "response.done"}\n\n', "event: done\ndata:\n\n"]
    )
    def test_deltas_and_their_annotations_count_without_a_final_object(self, end: str) -> None:
        found = answered(
            events(
                {"type": "response.output_text.delta", "delta": "Hi"},
                {"type": "response.output_text.annotation.added", "annotation": {"url": A, "title": "1"}},
                end=end,
            )
        )
        assert (found["content"], found["sources_count"], found["partial"]) == ("Hi", 1, False)

    def test_an_empty_final_object_takes_nothing_away(self) -> None:
        found = answered(
            events(
                {"type": "response.output_text.delta", "delta": "Hi"},
                {"type": "response.output_item.done", "item": message("Hi", A)["output"][1]},
                {"type": "response.completed", "response": {"status": "completed", "output": []}},
            )
        )
        assert (found["content"], found["sources_count"]) == ("Hi", 1)

    def test_what_is_no_address_is_no_citation(self) -> None:
        reply = message("A", citations=["not a url", 7, {"url": "ftp://x"}])
        result = Bench(body(reply)).call(extra_sources=0)
        found = result.structured_content
        assert (found["sources_count"], found["verifiable"]) == (0, False)
        assert (found["content"], found["unverified_content"]) == ("", "A")
        assert found["fallback_reason"] == "grok_sources_empty"

    def test_an_incomplete_answer_is_kept_and_marked(self) -> None:
        reply = message("A", A, status="incomplete", incomplete_details={"reason": "max_output_tokens"})
        result = Bench(body(reply)).call(extra_sources=0)
        assert (result.structured_content["content"], result.structured_content["partial"]) == ("A", True)
        assert "incomplete (max_output_tokens)" in result.content[0].text

    def test_a_refusal_alone_is_quoted(self) -> None:
        reply = {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "I must not."}]}]}
        found = answered(body(reply), searcher=FakeSearcher(hits(B)))
        assert found["fallback_reason"] == "grok_refused"
        assert "refusal: the model refused: I must not." in found["warnings"]

    def test_a_refusal_in_prose_is_a_warning_and_stays(self) -> None:
        found = answered(body(message("I'm sorry, but I can't help with that.", A)))
        assert found["content"] == "I'm sorry, but I can't help with that."
        assert any(warning.startswith("possible_refusal") for warning in found["warnings"])

    def test_links_without_a_sign_of_a_search_are_not_verified(self) -> None:
        reply = {"output": [{"type": "message", "content": [{"type": "output_text", "text": f"See {A}"}]}]}
        found = answered(body(reply))
        assert found["verifiable"] is False
        assert any(warning.startswith("no_search_evidence") for warning in found["warnings"])

    def test_a_stream_that_stays_open_after_its_end_is_not_waited_for(self) -> None:
        async def chunks() -> Any:
            final = {"type": "response.completed", "response": message("hi", A)}
            yield f"data: {json.dumps(final)}\n".encode()
            yield b"\n"
            await asyncio.sleep(1_000)
            yield b"never"

        bench = Bench(
            lambda _: httpx.Response(200, headers={"content-type": "text/event-stream"}, content=chunks())
        )
        assert bench.call(extra_sources=0).structured_content["content"] == "hi"

    def test_a_stream_that_breaks_off_is_kept_as_far_as_it_came(self) -> None:
        async def chunks() -> Any:
            for frame in (
                {"type": "response.output_text.delta", "delta": "Tides"},
                {"type": "response.output_text.annotation.added", "annotation": {"url": A}},
            ):
                yield f"data: {json.dumps(frame)}\n\n".encode()
            raise httpx.ReadError("reset")

        bench = Bench(
            lambda _: httpx.Response(200, headers={"content-type": "text/event-stream"}, content=chunks())
        )
        found = bench.call(extra_sources=0).structured_content
        assert (found["content"], found["partial"]) == ("Tides", True)


class TestWaiting:
    def scripted(self, *replies: httpx.Response) -> Any:
        queue = list(replies)
        return lambda _: queue.pop(0)

    def test_a_gateways_timeout_is_tried_again(self) -> None:
        bench = Bench(self.scripted(httpx.Response(524), body(message("hi", A))))
        assert bench.call().structured_content["content"] == "hi"
        assert len(bench.wire.sent) == 2

    def test_a_stated_wait_is_kept(self) -> None:
        bench = Bench(
            self.scripted(httpx.Response(503, headers={"retry-after": "2"}), body(message("hi", A)))
        )

        async def main() -> tuple[Any, float]:
            result = await bench.called("web_answer", query="x", extra_sources=0)
            return result, asyncio.get_running_loop().time()

        result, took = run(main())
        assert result.structured_content["content"] == "hi"
        assert 2 <= took < 3

    def test_a_wait_past_the_deadline_is_given_up_at_once(self) -> None:
        bench = Bench(httpx.Response(503, headers={"retry-after": "3600"}))
        result = bench.call()
        assert result.is_error
        assert len(bench.wire.sent) == 1

    def test_a_call_over_its_timeout_is_a_timeout(self) -> None:
        async def main() -> tuple[Any, float]:
            result = await bench.called("web_answer", query="x")
            return result, asyncio.get_running_loop().time()

        def hang(_: httpx.Request) -> httpx.Response:
            async def never() -> Any:
                await asyncio.sleep(1_000)
                yield b""

            return httpx.Response(200, content=never())

        bench = Bench(hang, searcher=FakeSearcher(hits(B)), timeout=7.0)
        result, took = run(main())
        assert result.structured_content["fallback_reason"] == "grok_timeout"
        assert took < 8


class TestRequests:
    def test_the_body_asks_for_a_search_and_keeps_nothing(self) -> None:
        bench = Bench(body(message("hi", A)))
        bench.call(recency_days=7)
        sent = bench.sent()
        assert sent["tools"] == [{"type": "web_search"}]
        assert (sent["store"], sent["stream"], sent["model"]) == (False, False, "grok-4-1-fast-reasoning")
        system, user = (one["content"] for one in sent["input"])
        assert "2027-01-15 08:00 UTC" in system
        assert len(system) < 500
        assert "published since 2027-01-08" in user
        assert str(bench.wire.sent[0].url) == "https://api.x.ai/v1/responses"

    @pytest.mark.parametrize(
        "base",
        [
            *("http://g.test", "http://g.test/", "http://g.test/v1", "http://g.test/v1/responses"),
            *("http://g.test/v1/chat/completions/", "http://g.test/responses"),
        ],
    )
    def test_every_form_of_the_base_url_leads_to_the_same_place(self, base: str) -> None:
        for type_, end in ((GrokAnswer, "responses"), (ChatAnswer, "chat/completions")):
            bench = Bench(body(message("hi", A)), type_=type_, base_url=base)
            bench.call()
            assert str(bench.wire.sent[0].url) == f"http://g.test/v1/{end}"

    def test_domains_go_as_a_filter_when_they_fit(self) -> None:
        bench = Bench(body(message("hi", A)))
        bench.call(include_domains=["a.dev"])
        assert bench.sent()["tools"] == [{"type": "web_search", "filters": {"allowed_domains": ["a.dev"]}}]
        flat = Bench(body(message("hi", A)), options={"flat_filters": "true"})
        flat.call(exclude_domains=["b.dev"])
        assert flat.sent()["tools"] == [{"type": "web_search", "excluded_domains": ["b.dev"]}]

    def test_domains_past_the_limit_go_as_words_with_a_warning(self) -> None:
        bench = Bench(body(message("hi", A, B)))
        found = bench.call(
            include_domains=[f"{n}.dev" for n in "acdefg"], exclude_domains=["x.dev"]
        ).structured_content
        assert bench.sent()["tools"] == [{"type": "web_search"}]
        assert "Use only pages of these domains: a.dev, c.dev" in bench.sent()["input"][1]["content"]
        assert [source["url"] for source in found["sources"]] == [A]
        assert any(warning.startswith("domains_filtered_after") for warning in found["warnings"])
        assert any(warning.startswith("sources_removed: 1") for warning in found["warnings"])

    def test_posts_of_x_need_the_operators_leave(self) -> None:
        off = Bench(body(message("hi", A)))
        assert any(
            w.startswith("x_search_off") for w in off.call(include_x=True).structured_content["warnings"]
        )
        assert off.sent()["tools"] == [{"type": "web_search"}]
        on = Bench(body(message("hi", A)), options={"x_search": "true", "x_handles": "@xai, @nasa"})
        on.call(include_x=True, recency_days=3)
        assert on.sent()["tools"][1] == {
            "type": "x_search",
            "allowed_x_handles": ["xai", "nasa"],
            "from_date": "2027-01-12",
        }

    def test_a_relay_gets_chat_completions_and_openrouter_its_suffix(self) -> None:
        relay = Bench(body(chat(f"hi {A}")), type_=ChatAnswer, base_url=GATEWAY, options={"model": "m"})
        relay.call(include_x=True)
        assert (relay.sent()["model"], relay.sent()["tools"]) == ("m", [{"type": "web_search"}])
        router = Bench(
            body(chat(f"hi {A}")),
            type_=ChatAnswer,
            base_url="https://openrouter.ai/api/v1",
            options={"model": "x/grok"},
        )
        router.call()
        assert (router.sent()["model"], "tools" in router.sent()) == ("x/grok:online", False)
        assert str(router.wire.sent[0].url) == "https://openrouter.ai/api/v1/chat/completions"
        bare = Bench(
            body(chat(f"hi {A}")), type_=ChatAnswer, base_url=GATEWAY, options={"web_search": "false"}
        )
        bare.call()
        assert "tools" not in bare.sent()


class TestModels:
    def test_an_unknown_model_names_the_known_ones_and_asks_for_them_once(self) -> None:
        def answer(request: httpx.Request) -> httpx.Response:
            if request.url.path.endswith("/models"):
                return body({"data": [{"id": "grok-4.3"}, {"id": "grok-4.6"}]})
            return body({"code": "not found", "error": "The model grok-9 does not exist"}, 404)

        bench = Bench(answer, options={"model": "grok-9"}, base_url=GATEWAY)
        for _ in range(2):
            text = bench.call().content[0].text
            assert "does not know the model 'grok-9'; it lists grok-4.3, grok-4.6" in text
            assert "set GROK_MODEL" in text
        listed = [request for request in bench.wire.sent if request.url.path == "/v1/models"]
        assert len(listed) == 1
        assert listed[0].headers["authorization"] == f"Bearer {KEY}"
        bench.clock.skipped = 301
        bench.call()
        assert len([request for request in bench.wire.sent if request.url.path == "/v1/models"]) == 2

    def test_a_list_that_cannot_be_had_is_asked_for_again_soon(self) -> None:
        bench = Bench(lambda _: body({"error": "unknown model"}, 400))
        assert "could not be read" in bench.call().content[0].text
        bench.clock.skipped = 16
        bench.call()
        assert len([request for request in bench.wire.sent if request.method == "GET"]) == 2

    def test_arguments_of_earlier_versions_are_ignored_with_a_warning(self) -> None:
        bench = Bench(body(message("hi", A)))
        found = bench.call(model="grok-2", platform="reddit").structured_content
        assert bench.sent()["model"] == "grok-4-1-fast-reasoning"
        assert [w.split(" ")[0] for w in found["warnings"]] == ["'model'", "'platform'"]


async def test_a_long_answer_is_parted_without_holding_up_other_calls() -> None:
    text = "Tidal power grew as many said, with more words here.\n\n" * 20_000
    bench = Bench(body(message(f"{text}[[1]]({A})", A)))
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.005)

    ticking = asyncio.create_task(tick())
    result = await bench.called("web_answer", query="x", extra_sources=0)
    ticking.cancel()
    assert result.structured_content["truncated"]
    assert result.structured_content["cited_count"] == 1
    assert ticks > 3


class TestKeys:
    def test_a_spent_key_costs_one_call_and_the_next_answers(self) -> None:
        def answer(request: httpx.Request) -> httpx.Response:
            if "dead" in request.headers["authorization"]:
                return body({"code": "permission-denied", "error": "used all available credits"}, 403)
            return body(message("hi", A))

        bench = Bench(answer, keys=["dead", KEY])
        for _ in range(3):
            assert bench.call().structured_content["content"] == "hi"
        assert len(bench.wire.sent) == 4
