"""What a shop states about the one thing a page sells: price, stock, maker, rating. Nothing is guessed.

Read from JSON-LD or microdata of the schema.org types Product and ProductGroup. Nobody sees such data,
so each value must have the form of its kind: an amount, a currency, a term, a short name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_mcp.extract.escape import escape
from research_mcp.extract.jsondata import Json, text_at, types_of

_TYPES = frozenset({"Product", "ProductGroup", "ProductModel", "IndividualProduct", "Vehicle", "Car"})
_DOWN = ("@graph", "mainEntity", "mainEntityOfPage")  # elsewhere stand other products
_LEVELS = 4
_MOST_OFFERS = 200
_LONGEST = 80
_AMOUNT = re.compile(r"\d{1,9}(?:[.,\s]\d{3})*(?:[.,]\d{1,4})?")
_COUNT = re.compile(r"\d{1,9}")
_GROUPS = re.compile(r"[\s.,](?=\d{3}(?:\D|$))")
_CURRENCY = re.compile(r"[A-Z]{3}")
_TERM = re.compile(r"(?:https?://schema\.org/)?([A-Z][A-Za-z]{3,24})")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_STOCK = frozenset(
    [
        "InStock", "OutOfStock", "PreOrder", "PreSale", "BackOrder", "SoldOut", "Discontinued",
        "LimitedAvailability", "OnlineOnly", "InStoreOnly", "MadeToOrder", "Reserved",
    ]
)  # fmt: skip
_STATES = frozenset({"NewCondition", "UsedCondition", "RefurbishedCondition", "DamagedCondition"})
_NAMED = (("Brand", ("brand", "manufacturer")), ("SKU", ("sku",)), ("MPN", ("mpn",)))
_NUMBERS = ("gtin13", "gtin", "gtin14", "gtin12", "gtin8", "isbn")
_ITEM = "[itemtype*='schema.org/Product']"


@dataclass(frozen=True, slots=True)
class Product:
    """The facts in reading order, each a label with its value, and the shop's description as stated."""

    facts: tuple[tuple[str, str], ...] = ()
    description: str = field(default="", repr=False)

    def listed(self) -> str:
        """The facts as a Markdown list; "" without facts."""
        return "\n".join(f"- {label}: {escape(value)}" for label, value in self.facts)


def read_product(tree: LexborHTMLParser, linked: Iterable[Json]) -> Product | None:
    """The product that the page is about; None for pages about none, or about several."""
    stated = [item for value in linked for item in _products(value, 0)]
    stated = stated or list(_microdata(tree)) or list(_open_graph(tree))
    names = {text_at(item, "name").lower() for item in stated}
    if len(names) != 1:
        return None
    item = max(stated, key=len)
    facts = [*_prices(item), *_rating(item.get("aggregateRating")), *_names(item)]
    return Product(tuple(facts), text_at(item, "description"))


def _products(value: Json, level: int) -> Iterator[dict[str, Json]]:
    if level > _LEVELS:
        return
    if isinstance(value, list):
        for inner in value:
            yield from _products(inner, level + 1)
    elif isinstance(value, dict):
        if types_of(value) & _TYPES:
            yield value
            return
        for name in _DOWN:
            yield from _products(value.get(name), level + 1)


def _microdata(tree: LexborHTMLParser) -> Iterator[dict[str, Json]]:
    """The same as JSON-LD, as far as facts go, from the one product that is marked up in the text."""
    marked = tree.css(_ITEM)
    if len(marked) != 1:
        return
    found: dict[str, Json] = {}
    offer: dict[str, Json] = {}
    rating: dict[str, Json] = {}
    for node in marked[0].css("[itemprop]"):
        name = node.attributes.get("itemprop") or ""
        kind = offer if name in _OF_OFFERS else rating if name in _OF_RATINGS else found
        kind.setdefault(name, _value(node))
    yield found | {"offers": offer, "aggregateRating": rating}


def _open_graph(tree: LexborHTMLParser) -> Iterator[dict[str, Json]]:
    """The `product:` properties of the head, when they state a price."""
    found: dict[str, Json] = {}
    for node in tree.css("meta[property^='product:']"):
        name = (node.attributes.get("property") or "").removeprefix("product:")
        found.setdefault(name, _value(node))
    if "price:amount" in found:
        yield {
            "offers": {"price": found["price:amount"], "priceCurrency": found.get("price:currency")},
            "brand": found.get("brand"),
            "sku": found.get("retailer_item_id"),
        }


_OF_OFFERS = frozenset(
    {"price", "lowPrice", "highPrice", "priceCurrency", "availability", "itemCondition", "offerCount"}
)
_OF_RATINGS = frozenset({"ratingValue", "bestRating", "reviewCount", "ratingCount"})


def _value(node: LexborNode) -> str:
    given = node.attributes
    stated = given.get("content") or given.get("href") or ""
    return " ".join((stated or node.text(separator=" ")).split())


def _prices(item: dict[str, Json]) -> Iterator[tuple[str, str]]:
    offers = list(_offers(item))[:_MOST_OFFERS]
    priced = [(amounts, currency) for offer in offers for amounts, currency in [_price(offer)] if amounts]
    amounts = sorted({amount for found, _ in priced for amount in found}, key=_number)
    currencies = {currency for _, currency in priced}
    if amounts and len(currencies) == 1:
        span = amounts[0] if len(amounts) == 1 else f"{amounts[0]} to {amounts[-1]}"
        yield "Price", f"{span} {currencies.pop()}".strip()
    for label, name, known in (
        ("Availability", "availability", _STOCK),
        ("Condition", "itemCondition", _STATES),
    ):
        terms = {_term(text_at(offer, name), known) for offer in offers} - {""}
        if len(terms) == 1:
            yield label, terms.pop()
    count = max(
        (int(text) for offer in offers if _COUNT.fullmatch(text := text_at(offer, "offerCount"))), default=0
    )
    if max(count, len(offers)) > 1:
        yield "Offers", str(max(count, len(offers)))


def _offers(item: dict[str, Json]) -> Iterator[dict[str, Json]]:
    variants = item.get("hasVariant")
    for holder in (item, *(variants if isinstance(variants, list) else ())):
        offers = holder.get("offers") if isinstance(holder, dict) else None
        for offer in offers if isinstance(offers, list) else (offers,):
            if isinstance(offer, dict) and offer:
                yield offer


def _price(offer: dict[str, Json]) -> tuple[list[str], str]:
    """The amounts of an offer and their currency, "" when none is stated."""
    asked = offer.get("priceSpecification")
    first = asked[0] if isinstance(asked, list) and asked else asked
    for holder in (offer, first):
        if isinstance(holder, dict):
            stated = [text_at(holder, name) for name in ("price", "lowPrice", "highPrice")]
            amounts = [text for text in stated if _AMOUNT.fullmatch(text) and _number(text) > 0]
            currency = text_at(holder, "priceCurrency") or text_at(offer, "priceCurrency")
            if amounts:
                return amounts, currency if _CURRENCY.fullmatch(currency) else ""
    return [], ""


def _number(amount: str) -> float:
    """What an amount is worth: signs before three digits set groups apart, any other is the point."""
    return float(_GROUPS.sub("", amount).replace(",", "."))


def _term(stated: str, known: frozenset[str]) -> str:
    found = _TERM.fullmatch(stated)
    if found is None or found[1] not in known:
        return ""
    return _CAMEL.sub(" ", found[1].removesuffix("Condition")).lower()


def _rating(value: Json) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict):
        return
    score, best = text_at(value, "ratingValue"), text_at(value, "bestRating")
    if not _AMOUNT.fullmatch(score):
        return
    count = text_at(value, "reviewCount", "ratingCount")
    of = f" of {best}" if _AMOUNT.fullmatch(best) else ""
    yield "Rating", f"{score}{of}" + (f" ({count} reviews)" if count.isdigit() else "")


def _names(item: dict[str, Json]) -> Iterator[tuple[str, str]]:
    for label, members in _NAMED:
        for member in members:
            value = item.get(member)
            first = value[0] if isinstance(value, list) and value else value
            name = text_at(first, "name") if isinstance(first, dict) else text_at(item, member)
            if 0 < len(name) <= _LONGEST and "://" not in name:
                yield label, name
                break
    number = next((text for name in _NUMBERS if (text := text_at(item, name)).isdigit()), "")
    if number:
        yield "GTIN", number[:20]
