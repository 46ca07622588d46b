//! The index of the protocol's requirements: what each demands, how strongly, and where it stands.
//!
//! Two tables are compiled in and read in place: `schema/requirements.tsv`, written by people, and
//! `schema/sentences.tsv`, which `schema/refresh.py` makes from the protocol's pages and schemas. No
//! sentence of upstream is stored, only its place and hash. Which rules check a requirement, each rule
//! says itself, in `Rule::requirements`.

use std::cmp::Ordering;

use crate::protocol::Version;

/// The table of requirements, sorted by id, below a line with the names of its columns.
const REQUIREMENTS: &str = include_str!("../schema/requirements.tsv");

/// The table of sentences, sorted by requirement, below a line with the names of its columns.
const SENTENCES: &str = include_str!("../schema/sentences.tsv");

/// One requirement of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// `topic.name`. Never changes. The dot tells it from the id of a rule.
    pub id: &'static str,
    /// The side that is bound, as [`Bound::name`](crate::rule::Bound::name) writes it.
    pub binds: &'static str,
    /// A method, update or type of content that must be offered for the requirement to apply.
    pub needs: Option<&'static str>,
    /// The requirement in our own words, a clause without a full stop.
    pub text: &'static str,
    /// Why no rule checks it, as `unseen` or `v1: open: …`; empty where rules do on all surfaces.
    pub none: &'static str,
    /// What its rules do not see; mostly empty.
    pub part: &'static str,
}

/// Where the protocol states a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The requirement; `-` for a sentence that states no duty.
    pub requirement: &'static str,
    pub version: Version,
    /// Whether only the drafts have it.
    pub is_draft: bool,
    /// A page with its anchor, or a definition with its member or variant.
    pub place: &'static str,
    pub keyword: Keyword,
    /// In how many places the same sentence stands.
    pub times: u32,
}

/// How strongly a sentence states a duty. Ordered from no word at all to the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keyword {
    /// A duty without a word of RFC 2119.
    Plain,
    May,
    Should,
    ShouldNot,
    Must,
    MustNot,
}

impl Keyword {
    /// All keywords, from the weakest.
    pub const ALL: [Self; 6] =
        [Self::Plain, Self::May, Self::Should, Self::ShouldNot, Self::Must, Self::MustNot];

    /// The text in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::May => "MAY",
            Self::Should => "SHOULD",
            Self::ShouldNot => "SHOULD NOT",
            Self::Must => "MUST",
            Self::MustNot => "MUST NOT",
        }
    }
}

impl Requirement {
    /// The part of the id before the dot.
    pub fn topic(&self) -> &'static str {
        self.id.split('.').next().unwrap_or(self.id)
    }

    /// The sentences that state it.
    pub fn sentences(&self) -> impl Iterator<Item = Sentence> + use<> {
        let id = self.id;
        let start = lower_bound(SENTENCES, id);
        rows(SENTENCES, start).take_while(move |row| key(row) == id).filter_map(Sentence::read)
    }

    /// Its strongest keyword on a version; `None` where the version does not state it.
    pub fn level(&self, version: Version, with_drafts: bool) -> Option<Keyword> {
        self.sentences()
            .filter(|it| it.version == version && (with_drafts || !it.is_draft))
            .map(|it| it.keyword)
            .max()
    }

    /// Why no rule checks it on a version; `None` where one does.
    pub fn unchecked(&self, version: Version) -> Option<&'static str> {
        let mut reasons = self.none.split("; ").filter(|reason| !reason.is_empty());
        reasons.find_map(|reason| match reason.split_once(": ") {
            Some(("v1", reason)) => (version == Version::V1).then_some(reason),
            Some(("v2", reason)) => (version == Version::V2).then_some(reason),
            _ => Some(reason),
        })
    }

    fn read(row: &'static str) -> Option<Self> {
        let mut cells = row.split('\t');
        let mut next = || cells.next();
        let (id, binds, needs, text) = (next()?, next()?, next()?, next()?);
        let needs = (needs != "-").then_some(needs);
        Some(Self { id, binds, needs, text, none: next()?, part: next()? })
    }
}

impl Sentence {
    fn read(row: &'static str) -> Option<Self> {
        let mut cells = row.split('\t');
        let mut next = || cells.next();
        let requirement = next()?;
        let version = Version::of(next()?.parse().ok()?)?;
        let is_draft = next()? == "draft";
        let (place, level, _hash) = (next()?, next()?, next()?);
        let keyword = Keyword::ALL.into_iter().find(|it| it.name() == level)?;
        Some(Self { requirement, version, is_draft, place, keyword, times: next()?.parse().ok()? })
    }

    /// The address on the web; `None` for a definition of the schemas.
    pub fn url(&self) -> Option<String> {
        let is_page = self.place.starts_with("protocol/");
        is_page.then(|| format!("https://agentclientprotocol.com/{}", self.place))
    }
}

/// All requirements, sorted by id.
pub fn all() -> impl Iterator<Item = Requirement> {
    rows(REQUIREMENTS, head(REQUIREMENTS)).filter_map(Requirement::read)
}

/// All normative sentences, also those that state no duty.
pub fn sentences() -> impl Iterator<Item = Sentence> {
    rows(SENTENCES, head(SENTENCES)).filter_map(Sentence::read)
}

/// The requirement with this id.
pub fn find(id: &str) -> Option<Requirement> {
    let row = rows(REQUIREMENTS, lower_bound(REQUIREMENTS, id)).next()?;
    Requirement::read(row).filter(|it| it.id == id)
}

/// The first cell of a row.
fn key(row: &str) -> &str {
    row.split('\t').next().unwrap_or(row)
}

/// The place of the first row below the names of the columns.
fn head(table: &str) -> usize {
    table.find('\n').map_or(table.len(), |end| end + 1)
}

/// The rows from the place where one begins.
fn rows(table: &'static str, start: usize) -> std::str::Lines<'static> {
    table.get(start..).unwrap_or("").lines()
}

/// The place of the first row whose key is not below `wanted`, by binary search in the text.
fn lower_bound(table: &str, wanted: &str) -> usize {
    // The row that is looked for begins between these places; both are beginnings of rows.
    let (mut low, mut high) = (head(table), table.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        let start = table.as_bytes()[..middle].iter().rposition(|it| *it == b'\n');
        let start = start.map_or(low, |end| end + 1).max(low);
        let end = table.as_bytes()[start..].iter().position(|it| *it == b'\n');
        let end = end.map_or(table.len(), |length| start + length + 1);
        match table.get(start..end).map_or(Ordering::Less, |row| key(row).cmp(wanted)) {
            Ordering::Less => low = end,
            Ordering::Equal | Ordering::Greater => high = start,
        }
    }
    low
}
