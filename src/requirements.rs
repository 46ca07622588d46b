//! The index of the protocol's requirements: what each demands, how strongly, and where it stands.
//!
//! Two tables are compiled in and read in place: `schema/requirements.tsv`, written by people, and
//! `schema/sentences.tsv`, which `schema/refresh.py` makes from the protocol's pages and schemas. No
//! sentence of upstream is stored, only its place and hash. Which rules check a requirement, each rule
//! says itself, in `Rule::requirements`.

use std::{cmp::Ordering, collections::BTreeSet, sync::LazyLock};

use crate::protocol::Version;

/// `schema/requirements.tsv`: one requirement on each line, sorted by id. The first line names the
/// columns.
const REQUIREMENTS: &str = include_str!("../schema/requirements.tsv");

/// `schema/sentences.tsv`: one normative sentence of the protocol on each line, sorted by the id of
/// its requirement. The first line names the columns.
const SENTENCES: &str = include_str!("../schema/sentences.tsv");

/// One requirement of the protocol: a row of `schema/requirements.tsv`. `acpcheck requirements`
/// lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The id in the form `topic.name`, such as `auth.after-logout`, which never changes. Ids of
    /// rules have no dot.
    pub id: &'static str,
    /// The side that the requirement binds, as [`Bound::name`](crate::rule::Bound::name) writes it.
    pub binds: &'static str,
    /// The method, update or type of content for which the requirement holds only if it is offered;
    /// `None` when it holds always.
    pub needs: Option<&'static str>,
    /// The requirement in acpcheck's own words, a clause without a full stop.
    pub text: &'static str,
    /// Why no rule checks the requirement, such as `unseen` or, for one version, `v1: open: …`.
    /// Empty when rules check it on all versions.
    pub none: &'static str,
    /// What the rules for the requirement cannot see; empty when they see all.
    pub part: &'static str,
}

/// A place where the protocol states a requirement: a row of `schema/sentences.tsv`. The text of
/// the sentence is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The id of the requirement that the sentence states; `-` when the sentence demands nothing.
    pub requirement: &'static str,
    pub version: Version,
    /// Whether only drafts of the protocol have the sentence.
    pub is_draft: bool,
    /// A page with its anchor, such as `protocol/…#…`, or a definition of the schema with its
    /// member or variant, such as `AuthAccount.active`.
    pub place: &'static str,
    pub keyword: Keyword,
    /// How many times the same sentence occurs in the protocol.
    pub times: u32,
}

/// How strongly a sentence states a duty. Ordered from no word at all to the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keyword {
    /// The sentence demands something without a word of RFC 2119, such as MUST.
    Plain,
    May,
    Should,
    ShouldNot,
    Must,
    MustNot,
}

/// Who can tell whether a requirement is kept, on a version that states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Rules that name it.
    Checked,
    /// A transcript shows it, and no rule checks it.
    Unchecked,
    /// The schema: the requirement is the form of a value, which the rules `schema/…` check.
    Schema,
    /// No transcript of one connection shows it.
    Unseen,
    /// Nothing can break it: it permits something.
    Permission,
}

/// What connections offered of that which requirements need, see [`Requirement::needs`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offers(u64);

/// The strongest keywords of each requirement, by version: that of the stable sentences, then that of the
/// drafts. By id.
type Levels = [[Option<Keyword>; 2]; 2];

static LEVELS: LazyLock<Vec<(&'static str, Levels)>> = LazyLock::new(|| {
    let mut all: Vec<(&str, Levels)> = Vec::new();
    for sentence in sentences() {
        if all.last().is_none_or(|(id, _)| *id != sentence.requirement) {
            all.push((sentence.requirement, Levels::default()));
        }
        if let Some((_, levels)) = all.last_mut() {
            let level = &mut levels[sentence.version as usize][usize::from(sentence.is_draft)];
            *level = (*level).max(Some(sentence.keyword));
        }
    }
    all
});

/// What requirements need, each once, in the order of the names.
static NEEDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let needs: BTreeSet<_> = all().filter_map(|requirement| requirement.needs).collect();
    needs.into_iter().collect()
});

impl Offers {
    /// Everything: what was offered is not on record.
    pub const ALL: Self = Self(u64::MAX);

    /// The needs for which this holds.
    pub fn where_offered(is_offered: impl Fn(&'static str) -> bool) -> Self {
        NEEDS.iter().filter(|need| is_offered(need)).copied().collect()
    }

    /// Whether it was offered.
    pub fn contains(self, need: &str) -> bool {
        NEEDS.binary_search(&need).is_ok_and(|at| self.0 >> at & 1 == 1)
    }

    /// What one of both offered.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The names of what was offered.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        NEEDS.iter().copied().filter(move |need| self.contains(need))
    }
}

impl<'n> FromIterator<&'n str> for Offers {
    /// Names that no requirement needs are left out.
    fn from_iter<I: IntoIterator<Item = &'n str>>(names: I) -> Self {
        let places = names.into_iter().filter_map(|name| NEEDS.binary_search(&name).ok());
        Self(places.fold(0, |bits, at| bits | 1 << at))
    }
}

impl Keyword {
    /// All keywords, from the weakest to the strongest.
    pub const ALL: [Self; 6] =
        [Self::Plain, Self::May, Self::Should, Self::ShouldNot, Self::Must, Self::MustNot];

    /// The keyword as tables and reports write it, such as `MUST NOT` or `plain`.
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
    /// The part of the requirement's id before the dot, such as `auth`.
    pub fn topic(&self) -> &'static str {
        self.id.split('.').next().unwrap_or(self.id)
    }

    /// The sentences of the protocol that state the requirement, by binary search in the table.
    pub fn sentences(&self) -> impl Iterator<Item = Sentence> + use<> {
        let id = self.id;
        let start = lower_bound(SENTENCES, id);
        rows(SENTENCES, start).take_while(move |row| key(row) == id).filter_map(Sentence::read)
    }

    /// The strongest keyword by which this version of the protocol states the requirement; `None`
    /// when it does not. `with_drafts` counts sentences of drafts.
    pub fn level(&self, version: Version, with_drafts: bool) -> Option<Keyword> {
        let place = LEVELS.binary_search_by_key(&self.id, |(id, _)| id).ok()?;
        let (_, levels) = LEVELS[place];
        let [stable, draft] = levels[version as usize];
        if with_drafts { stable.max(draft) } else { stable }
    }

    /// Why no rule checks the requirement in this version, such as `unseen`; `None` when rules
    /// check it.
    pub fn unchecked(&self, version: Version) -> Option<&'static str> {
        let mut reasons = self.none.split("; ").filter(|reason| !reason.is_empty());
        reasons.find_map(|reason| match reason.split_once(": ") {
            Some(("v1", reason)) => (version == Version::V1).then_some(reason),
            Some(("v2", reason)) => (version == Version::V2).then_some(reason),
            _ => Some(reason),
        })
    }

    /// In plain words, why no rule checks the requirement in this version; `None` when rules check it.
    pub fn unchecked_in_words(&self, version: Version) -> Option<String> {
        let reason = self.unchecked(version)?;
        let (_, detail) = reason.split_once([' ', ':']).unwrap_or((reason, ""));
        let detail = detail.trim_start();
        Some(match self.reach(version) {
            Reach::Schema => "checked by the schema".to_owned(),
            Reach::Permission => "permits something, so nothing can break it".to_owned(),
            Reach::Unseen if reason.starts_with("probe ") => {
                format!("no transcript shows it, only the `drive` scenario `{detail}`")
            }
            Reach::Unseen => "no transcript shows it".to_owned(),
            Reach::Unchecked if reason.starts_with("gone ") => format!("withdrawn on {detail}"),
            Reach::Unchecked | Reach::Checked => format!("no rule: {detail}"),
        })
    }

    /// Who can tell on a version whether it is kept.
    pub fn reach(&self, version: Version) -> Reach {
        let Some(reason) = self.unchecked(version) else { return Reach::Checked };
        match reason.split([' ', ':']).next() {
            Some("unseen" | "hops" | "probe") => Reach::Unseen,
            Some("permission") => Reach::Permission,
            Some("schema") => Reach::Schema,
            _ => Reach::Unchecked,
        }
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

    /// The web address of the sentence; `None` for a place in the schema, which has no page.
    pub fn url(&self) -> Option<String> {
        let is_page = self.place.starts_with("protocol/");
        is_page.then(|| format!("https://agentclientprotocol.com/{}", self.place))
    }
}

/// All requirements of the table, sorted by id.
pub fn all() -> impl Iterator<Item = Requirement> {
    rows(REQUIREMENTS, head(REQUIREMENTS)).filter_map(Requirement::read)
}

/// All sentences of the table, including those that demand nothing, sorted by requirement.
pub fn sentences() -> impl Iterator<Item = Sentence> {
    rows(SENTENCES, head(SENTENCES)).filter_map(Sentence::read)
}

/// The requirement with this id; `None` when there is none.
pub fn find(id: &str) -> Option<Requirement> {
    let row = rows(REQUIREMENTS, lower_bound(REQUIREMENTS, id)).next()?;
    Requirement::read(row).filter(|it| it.id == id)
}

/// The first column of a row of a table, by which the rows are sorted.
fn key(row: &str) -> &str {
    row.split('\t').next().unwrap_or(row)
}

/// The offset in bytes of the first row of a table, behind the line with the names of columns.
fn head(table: &str) -> usize {
    table.find('\n').map_or(table.len(), |end| end + 1)
}

/// The rows of a table from the byte offset `start` on, where a row must begin.
fn rows(table: &'static str, start: usize) -> std::str::Lines<'static> {
    table.get(start..).unwrap_or("").lines()
}

/// The byte offset of the first row whose first column is not less than `wanted`; the length of the
/// table when there is none. Searches by halving.
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
