"""The normative sentences of the protocol: where each stands, how strong it is, and its hash.

`refresh.py` writes them to `sentences.tsv`. No sentence is stored. People place each sentence in
`requirements.tsv` by the first column.
"""

import collections
import dataclasses
import difflib
import hashlib
import re

HEAD = "requirement\tversion\tsurface\tplace\tlevel\thash\ttimes\tsee"
# A word of RFC 2119, and the level that it gives. The first that a sentence has is its level.
LEVELS = [
    ("MUST NOT", r"(?:MUST|SHALL) NOT"),
    ("MUST", r"MUST|SHALL|REQUIRED"),
    ("SHOULD NOT", r"SHOULD NOT|NOT RECOMMENDED"),
    ("SHOULD", r"SHOULD|RECOMMENDED"),
    ("MAY", r"MAY|OPTIONAL"),
]
# Words of sentences that may state a duty without a word of RFC 2119.
PLAIN = re.compile(r"\b(?:must|never|only|gets|rejects|fails|succeeds|required)\b", re.IGNORECASE)
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)|\[((?:[^\[\]])*)\](?:\[[^\]]*\])?")
PAGE = re.compile(r"https://agentclientprotocol\.com/(protocol/[^\s)\"]+)")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
# The end of a sentence: a full stop before a space and something that begins a sentence.
END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)[)*_\"”]*\s+(?=[A-Z`*_\[(\"“])")
# The unions of all messages of a side have their branches below `params`.
MESSAGE = re.compile(r"^((?:Agent|Client|Proxy|ProtocolLevel)(?:Request|Notification))\.params(?=\.)")
# Sentences with at least this part of their words in common are one sentence that was changed.
ALIKE = 0.6


@dataclasses.dataclass(frozen=True)
class Sentence:
    version: str
    surface: str
    place: str
    level: str
    text: str
    see: str
    places: tuple = ()

    @property
    def hash(self):
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @property
    def key(self):
        return self.version, self.hash

    def line(self, requirement):
        """The sentence as a line of `sentences.tsv`."""
        cells = [self.version, self.surface, self.place, self.level, self.hash]
        return "\t".join([requirement, *cells, str(len(self.places)), self.see])


def plain(text):
    """A sentence without links, emphasis and doubled space."""
    text = LINK.sub(lambda link: link[1] or link[2] or "", text)
    text = re.sub(r"<[^<>]+>", "", text)
    text = re.sub(r"(?<![\w`])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\w`])", "", text)
    return re.sub(r"\s+", " ", text).strip()


def level(text):
    """The strongest word of a sentence; `None` where it has none and states no duty either."""
    for name, words in LEVELS:
        # A negated MUST stands in "MUST NOT" only; both may stand in one sentence.
        if re.search(rf"\b(?:{words})\b", text):
            return name
    return "plain" if PLAIN.search(text) else None


def blocks(text):
    """The paragraphs and list items of a Markdown text. A lead that ends with a colon takes the
    items that have no word of their own, for it says nothing without them."""
    paragraphs, is_code = [], False
    for line in text.splitlines():
        if line.strip().startswith(("```", "~~~")):
            is_code = not is_code
            paragraphs.append("")
        elif is_code:
            continue
        elif not line.strip() or line.lstrip().startswith(("|", "<br", "import ")):
            paragraphs.append("")
        elif ITEM.match(line) or line.lstrip().startswith("#"):
            paragraphs.append(line)
        elif paragraphs and paragraphs[-1]:
            paragraphs[-1] += " " + line.strip()
        else:
            paragraphs.append(line.strip())
    out = []
    lead = False
    for paragraph in paragraphs:
        if not paragraph:
            continue
        item = ITEM.match(paragraph)
        words = paragraph[item.end():] if item else paragraph
        if item and lead and not any(re.search(rf"\b(?:{it})\b", words) for _, it in LEVELS):
            out[-1] += " " + words
            continue
        out.append(words)
        lead = words.rstrip().rstrip("*").endswith(":") or (lead and bool(item))
    return out


def split(text):
    for block in blocks(text):
        for sentence in END.split(block):
            words = plain(sentence)
            if words:
                yield words


def of_text(version, surface, place, text):
    """The sentences of one description."""
    see = PAGE.search(text)
    for words in split(text):
        strength = level(words)
        if strength:
            yield Sentence(version, surface, place, strength, words, see[1] if see else "-")


def branch(schema):
    """The name of a branch of a union: the value of its tag, its title, or what it refers to; `None`
    where it has none of them."""
    for member in schema.get("properties", {}).values():
        if isinstance(member, dict) and "const" in member:
            return str(member["const"])
    if "const" in schema:
        return str(schema["const"])
    if "title" in schema:
        return schema["title"]
    for part in (schema, *schema.get("allOf", ())):
        if "$ref" in part:
            return part["$ref"].rsplit("/", 1)[1]
    return None


def descriptions(schema, place):
    """Each description below a definition, with its place."""
    if "description" in schema:
        yield place, schema["description"]
    for name, member in schema.get("properties", {}).items():
        if isinstance(member, dict):
            yield from descriptions(member, f"{place}.{name}")
    for keyword in ("oneOf", "anyOf"):
        for part in schema.get(keyword, ()):
            name = branch(part)
            yield from descriptions(part, f"{place}.{name}" if name else place)
    for part in schema.get("allOf", ()):
        yield from descriptions(part, place)
    for keyword in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(keyword), dict):
            yield from descriptions(schema[keyword], place)


def of_schemas(documents):
    """The sentences of the schemas; `documents` are by their file names, with prose."""
    for version in ("1", "2"):
        for surface, name in (("stable", "schema.json"), ("draft", "schema.unstable.json")):
            document = documents[f"v{version}/{name}"]
            for definition, schema in document["$defs"].items():
                for place, text in descriptions(schema, definition):
                    place = MESSAGE.sub(r"\1", place)
                    yield from of_text(version, surface, place, text)
            # The unions of all messages stand outside of the definitions.
            for keyword in ("anyOf", "oneOf"):
                for part in document.get(keyword, ()):
                    for place, text in descriptions(part, branch(part)):
                        place = place.replace(".params", "Notification", 1)
                        yield from of_text(version, surface, place, text)


def of_source(version, files, documents, known):
    """The sentences of doc comments that the schemas lack: of what is no part of a message's shape.

    `files` are the texts of the crate's source; `known` are the sentences of the schemas. Sentences
    without a word of RFC 2119 are left out: most doc comments here are about Rust.
    """
    texts = {it.text for it in known if it.version == version}
    stable, draft = (documents[f"v{version}/schema{kind}.json"]["$defs"] for kind in ("", ".unstable"))
    for source in files:
        owner, comment = "", []
        for line in map(str.strip, source.splitlines()):
            if line.startswith("///"):
                comment.append(line[3:].removeprefix(" "))
                continue
            item = re.match(r"(?:pub(?:\(\w+\))? )?(?:(?:const )?fn )?(?:r#)?(\w+)(?:: |\()", line)
            kind = re.match(r"(?:pub )?(?:struct|enum|trait) (\w+)|impl(?:<[^>]*>)? (\w+)", line)
            if kind:
                owner = kind[1] or kind[2]
            if not comment or line.startswith(("#", "//", ")")) or not line:
                continue
            place = f"{owner}.{item[1]}" if item and not kind else owner
            surface = "draft" if owner in draft and owner not in stable else "stable"
            for sentence in of_text(version, surface, place, "\n".join(comment)):
                if sentence.level != "plain" and sentence.text not in texts:
                    yield sentence
            comment = []


def anchor(heading):
    words = plain(re.sub(r"`", "", heading)).lower()
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s$/-]", "", words)).replace("/", "-").strip("-")


def of_page(version, surface, page, text):
    """The sentences of one page of the protocol; `page` is its address without the site."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    text = re.sub(r"\{/\*.*?\*/\}", "", text, flags=re.DOTALL)
    place, lines, is_code = page, [], False
    for line in [*text.splitlines(), "# end"]:
        is_code ^= line.strip().startswith("```")
        heading = None if is_code else re.match(r"#{1,6}\s+(.*)", line)
        if not heading:
            lines.append(line)
            continue
        for sentence in of_text(version, surface, place, "\n".join(lines)):
            yield dataclasses.replace(sentence, see="-")
        place, lines = f"{page}#{anchor(heading[1])}", []


def of_pages(pages):
    """The sentences of the pages; `pages` has their texts by names as `v1/draft/terminals`."""
    for name in sorted(pages, key=lambda it: ("/draft/" in it, it)):
        surface = "draft" if "/draft/" in name else "stable"
        stable = name.replace("/draft/", "/")
        page = name if surface == "draft" and stable not in pages else stable
        yield from of_page(name[1], surface, f"protocol/{page}", pages[name])


def united(sentences):
    """One sentence for each text and version: its first place, stable before draft, pages first."""
    out = {}
    places = collections.defaultdict(set)
    for sentence in sentences:
        places[sentence.key].add(sentence.place)
        known = out.get(sentence.key)
        if known is None or (known.surface, sentence.surface) == ("draft", "stable"):
            out[sentence.key] = sentence
        elif known.see == "-" and sentence.see != "-":
            out[sentence.key] = dataclasses.replace(known, see=sentence.see)
    return [dataclasses.replace(it, places=tuple(sorted(places[key]))) for key, it in out.items()]


def placed(text):
    """The first column of a stored file, by version and hash."""
    lines = (line.split("\t") for line in text.splitlines()[1:])
    return {(cells[1], cells[5]): cells[0] for cells in lines}


def likeness(one, other):
    """The part of the words that two sentences have in common."""
    return difflib.SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio()


def taken_over(now, before, known):
    """The lines of the new file, and what to tell on the terminal.

    `before` are the sentences of the former state, whose texts are stored nowhere; `known` is the
    first column of the stored file.
    """
    gone = {(it.key, place): it for it in before for place in it.places}
    added = []
    for sentence in now:
        for place in sentence.places:
            if gone.pop((sentence.key, place), None) is None:
                added.append((place, sentence))
    # A changed sentence: at the same place, with most of the words.
    was, told = {}, []
    for place, sentence in added:
        near = [it for it in gone.items() if it[0][0][0] == sentence.version and it[0][1] == place]
        old, name = max(
            ((likeness(it.text, sentence.text), at) for at, it in near), default=(0, None)
        )
        if old >= ALIKE:
            was.setdefault(sentence.key, gone[name])
            told.append(f"~ v{sentence.version} {place}\n  was {gone.pop(name).text}\n  now {sentence.text}")
        else:
            told.append(f"+ v{sentence.version} {place}: {sentence.text}")
    told += [f"- v{it.version} {place}: {it.text}" for (_, place), it in gone.items()]
    lines = []
    for sentence in now:
        requirement = known.get(sentence.key)
        if requirement is None:
            old = was.get(sentence.key)
            requirement = "?" + (known.get(old.key, "") if old else "").strip("?-")
        lines.append(sentence.line(requirement))
    # The order is that of the program's lookup: by requirement, then the place.
    lines.sort(key=lambda line: [cell.encode() for cell in line.split("\t")])
    return "\n".join([HEAD, *lines]) + "\n", told


def borrowed(texts, sentences):
    """Our own words that share seven words in a row with a sentence of upstream."""
    def runs(text):
        words = re.findall(r"[\w$/.-]+", text.lower())
        return {tuple(words[at:at + 7]) for at in range(len(words) - 6)}

    theirs = set().union(*(runs(it.text) for it in sentences))
    return [requirement for requirement, text in texts if runs(text) & theirs]
