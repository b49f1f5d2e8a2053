"""From a configuration to a running product: every object is made here and handed its parts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime

from research_mcp.bootstrap.configure import PRODUCT, Configuration
from research_mcp.bootstrap.login import login_of
from research_mcp.bootstrap.proofs import Spend, probes
from research_mcp.bootstrap.providers import Shared, configured
from research_mcp.bootstrap.state import state_of
from research_mcp.bootstrap.watch import Sources, Watch
from research_mcp.core.checks import Check
from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import Reason
from research_mcp.core.ports import BatchReader, Clock
from research_mcp.extract.processes.pool import ExtractionPool
from research_mcp.net.browser.local import LocalBrowser
from research_mcp.net.client import Network
from research_mcp.net.download import GuardedFetcher
from research_mcp.net.guard import Guard
from research_mcp.net.resolver import Resolver
from research_mcp.net.robots import RobotsGate, RobotsMode
from research_mcp.net.trust import trust
from research_mcp.observe.bill import TellingMeter
from research_mcp.observe.events import Emit, ignore
from research_mcp.observe.rests import TellingParking
from research_mcp.pipelines.answer.pipeline import AnswerLimits, AnswerPipeline
from research_mcp.pipelines.proof.pipeline import Prover
from research_mcp.pipelines.proof.probes import Workbench
from research_mcp.pipelines.read.batch import BatchLimits, BatchPipeline
from research_mcp.pipelines.read.pipeline import ReadLimits, ReadPipeline
from research_mcp.pipelines.search.fanout import Fanout
from research_mcp.pipelines.search.pipeline import SearchLimits, SearchPipeline
from research_mcp.pipelines.sitemap.pipeline import MapLimits, MapPipeline
from research_mcp.pipelines.turns import Turns
from research_mcp.providers.kit.answer.configured import ConfiguredAnswer
from research_mcp.providers.kit.engine import ConfiguredEngine
from research_mcp.providers.kit.mapper import ConfiguredMapper
from research_mcp.providers.kit.reader import ConfiguredReader
from research_mcp.providers.kit.rerank import ConfiguredReranker
from research_mcp.server.config import Health, Listen, ServerConfig, Services


class SystemClock:
    """The machine's wall clock (`core.ports.Clock`)."""

    def now(self) -> float:
        """Epoch seconds."""
        return datetime.now(UTC).timestamp()


class Product:
    """The assembled product. Enter `running` before the first call, leave it to close everything."""

    def __init__(self, configuration: Configuration, emit: Emit, clock: Clock) -> None:
        self.configuration = configuration
        self._watch = Watch(configuration, clock, emit)
        self._emit = self._watch.emit
        self._clock = clock
        settings = configuration.settings
        self.state = state_of(configuration, clock)
        resolver = Resolver()
        self._network = Network(Guard(configuration.policy, resolver), resolver, tls=trust(settings.ca_file))
        self._pool = ExtractionPool(workers=settings.extract_workers)
        self._fetcher = GuardedFetcher(self._network, user_agent=configuration.user_agent)
        self._robots = RobotsGate(self._fetcher, self._clock, PRODUCT, RobotsMode(settings.robots))
        self._browser = LocalBrowser(self._network, configuration.browser) if configuration.browser else None
        self._shared = Shared(
            self._network,
            self._clock,
            TellingParking(self.state.parking, self._emit),
            TellingMeter(self.state.meter, self._emit),
            configuration,
            login_of(configuration, self._network, clock),
            self._browser,
        )
        self.searcher = self._search_pipeline("searches")
        self.reader = self._read_pipeline()
        self.batch: BatchReader = BatchPipeline(
            self.reader, self.searcher, limits=BatchLimits(concurrency=settings.read_pages_concurrency)
        )
        self.answerer = self._answer_pipeline()
        self.mapper = self._map_pipeline()

    def services(self) -> Services:
        """What the server works with. From now on every call counts in its metrics."""
        settings = self.configuration.settings
        sources = self._sources()
        return Services(
            searcher=self.searcher,
            reader=self.reader,
            batch=self.batch,
            answerer=self.answerer,
            mapper=self.mapper,
            clock=self._clock,
            emit=self._emit,
            statuses=lambda: self.configuration.statuses,
            limits={
                "SEARCH_TIMEOUT": settings.search_timeout,
                "READ_TIMEOUT": settings.read_timeout,
                "MAP_TIMEOUT": settings.map_timeout,
                "READ_BATCH_MAX_CHARS": settings.read_batch_max_chars,
                "ROBOTS": settings.robots,
            },
            health=self._health,
            metrics=self._watch.metrics(sources),
            overview=lambda: self._watch.overview(sources),
            running=self.running,
        )

    def server_config(self) -> ServerConfig:
        """The knobs of tools and doors."""
        settings = self.configuration.settings
        return ServerConfig(
            language=settings.tool_language,
            tools=settings.tools,
            tools_exclude=settings.tools_exclude,
            allowed_hosts=settings.mcp_allowed_hosts,
            allowed_origins=settings.mcp_allowed_origins,
            bearer_tokens=self.configuration.bearer_tokens,
            read_page_max_chars=settings.read_page_max_chars,
            read_batch_max_chars=settings.read_batch_max_chars,
            answer_max_chars=settings.answer_max_chars,
        )

    def listen(self) -> Listen:
        """Where the server listens."""
        settings = self.configuration.settings
        return Listen(
            host=settings.mcp_host, port=settings.mcp_port, trusted_proxies=settings.mcp_trusted_proxies
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Store, workers and connections open within. What cannot be closed leaves nothing else open."""
        async with AsyncExitStack() as closing:
            await self.state.opened()
            closing.push_async_callback(self.state.closed)
            await self._pool.start()
            closing.push_async_callback(self._pool.close)
            closing.push_async_callback(self._network.aclose)
            closing.push_async_callback(self._shared.login.settled)
            if self._browser:
                closing.push_async_callback(self._browser.close)
            await closing.enter_async_context(self._watch.watching())
            yield

    async def proved(self, deadline: Deadline, spend: Spend) -> list[Check]:
        """What one small call to each provider proves, for no more money than `spend` allows."""
        here = self.configuration
        every = (*here.search, *here.read, *here.answer, *here.map, here.reranker)
        keyed = frozenset(one.instance.name for one in every if one and one.accounts)
        turns = Turns(self.state.parking, self.state.paces, self._clock)
        bench = Workbench(self._fetcher, self._pool, self._pool, self._robots)
        prover = Prover(turns, keyed=keyed, free=spend is Spend.NOTHING)
        return await prover.prove(probes(self._shared, bench, spend), deadline)

    def _sources(self) -> Sources:
        """Where `/metrics` and the status page look."""
        pipelines = (self.searcher, self.reader, self.answerer, self.mapper)
        return Sources(
            parking=self._shared.parking,
            meter=self._shared.meter,
            workers=self._pool.workers,
            health=self._health,
            breakers=[pipeline.breakers for pipeline in pipelines if pipeline],
        )

    async def _health(self) -> Health:
        store = await self._shared.meter.health()
        return Health(ready=True, degraded=() if store.ok else (f"store: {store.detail}",))

    def _answer_pipeline(self) -> AnswerPipeline | None:
        """None without a model. Engines on a model's own key are left out: the question is paid already.

        A model that the owner switched off leaves a pipeline of sources alone.
        """
        answer = self.configuration.answer
        if not self.configuration.answers:
            return None
        return AnswerPipeline(
            [configured(ConfiguredAnswer, resolved, self._shared) for resolved in answer],
            self._search_pipeline(
                "searches-for-answers", without={account.id for one in answer for account in one.accounts}
            ),
            turns=Turns(self.state.parking, self.state.paces, self._clock),
            clock=self._clock,
            store=self.state.answers,
            limits=AnswerLimits(timeout=self.configuration.settings.answer_timeout),
            emit=self._emit,
        )

    def _search_pipeline(self, name: str, without: Collection[str] = ()) -> SearchPipeline:
        """All engines but those on the accounts in `without`; `name` keeps their answers apart."""
        settings = self.configuration.settings
        reranker = self.configuration.reranker
        engines = (one for one in self.configuration.search if not any(a.id in without for a in one.accounts))
        return SearchPipeline(
            [configured(ConfiguredEngine, resolved, self._shared) for resolved in engines],
            clock=self._clock,
            parking=self.state.parking,
            paces=self.state.paces,
            cache=self.state.searches(name),
            agreements=self.state.agreements,
            limits=SearchLimits(
                timeout=settings.search_timeout,
                grace=settings.search_grace,
                fanout=Fanout(settings.search_fanout),
            ),
            rules=self.configuration.host_rules,
            reranker=configured(ConfiguredReranker, reranker, self._shared) if reranker else None,
            emit=self._emit,
        )

    def _read_pipeline(self) -> ReadPipeline:
        settings = self.configuration.settings
        return ReadPipeline(
            [configured(ConfiguredReader, resolved, self._shared) for resolved in self.configuration.read],
            fetcher=self._fetcher,
            extractor=self._pool,
            robots=self._robots,
            parking=self._shared.parking,
            clock=self._clock,
            judge=_text_verdict,
            cache=self.state.pages,
            limits=ReadLimits(timeout=settings.read_timeout, min_chars=settings.fallback_min_chars),
            emit=self._emit,
        )

    def _map_pipeline(self) -> MapPipeline:
        return MapPipeline(
            [configured(ConfiguredMapper, resolved, self._shared) for resolved in self.configuration.map],
            fetcher=self._fetcher,
            finder=self._pool,
            robots=self._robots,
            turns=Turns(self.state.parking, self.state.paces, self._clock),
            clock=self._clock,
            cache=self.state.maps,
            limits=MapLimits(timeout=self.configuration.settings.map_timeout),
            emit=self._emit,
        )


def assemble(configuration: Configuration, emit: Emit = ignore, clock: Clock | None = None) -> Product:
    """The product for a configuration. Raises `ConfigError` for values that no part can use."""
    return Product(configuration, emit, clock or SystemClock())


def _text_verdict(markdown: str) -> Reason | None:
    """`text_verdict`, loaded when the first reader elsewhere brings text: its patterns slow every start."""
    from research_mcp.extract.verdicts.phrases import text_verdict

    return text_verdict(markdown)
