//! The results of rules, as the JSON form has them, and packed: a report on many transcripts has
//! millions of them.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{check::shares, protocol::Side, requirements, rules::CATALOGUE};

/// For each rule: how often a recording exercised it, and how many findings it has. Packed into
/// about five bytes for each rule, since a report may have millions. Counts of 0 take no space.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<RuleRow>", into = "Vec<RuleRow>")]
pub struct RuleRows(Box<[u8]>);

impl RuleRows {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = RuleRow> {
        let mut rest = &*self.0;
        std::iter::from_fn(move || unpack(&mut rest))
    }
}

impl FromIterator<RuleRow> for RuleRows {
    fn from_iter<I: IntoIterator<Item = RuleRow>>(rows: I) -> Self {
        let mut packed = Vec::new();
        for row in rows {
            pack(&row, &mut packed);
        }
        Self(packed.into())
    }
}

impl From<Vec<RuleRow>> for RuleRows {
    fn from(rows: Vec<RuleRow>) -> Self {
        rows.into_iter().collect()
    }
}

impl From<RuleRows> for Vec<RuleRow> {
    fn from(rows: RuleRows) -> Self {
        rows.iter().collect()
    }
}

/// Appends a row: its place in the list of [`shares`], its side, one bit for each member that is not
/// zero, and these members.
fn pack(row: &RuleRow, packed: &mut Vec<u8>) {
    let RuleRow { side, exercised, failed, errors, warnings, infos, barred, missing, .. } = *row;
    let Some(place) = row.place() else { return };
    let members = [exercised, failed, errors, warnings, infos, barred, missing.bits().into()];
    put(place as u64, packed);
    packed.push(side as u8);
    let bits = members.iter().rev().fold(0, |bits, member| bits << 1 | u8::from(*member > 0));
    packed.push(bits);
    for member in members.into_iter().filter(|member| *member > 0) {
        put(member, packed);
    }
}

/// Reads one row in the packed form that [`pack`] writes, and moves `rest` behind it. `None` when
/// `rest` is empty.
fn unpack(rest: &mut &[u8]) -> Option<RuleRow> {
    let place = usize::try_from(take(rest)?).ok()?;
    let share = shares::at(place);
    let rule = RuleId(share.map_or(place, |share| share.rule));
    let requirement = share.map(|share| RequirementId(share.requirement));
    let [side, bits, behind @ ..] = *rest else { return None };
    *rest = behind;
    let side = *Party::ALL.get(usize::from(*side))?;
    let mut members = [0; 7];
    for (place, member) in members.iter_mut().enumerate() {
        if bits >> place & 1 > 0 {
            *member = take(rest)?;
        }
    }
    let [exercised, failed, errors, warnings, infos, barred, missing] = members;
    let missing = EvidenceSet::of_bits(u8::try_from(missing).ok()?);
    let counts = RuleRow { exercised, failed, errors, warnings, infos, ..RuleRow::of(rule, side) };
    Some(RuleRow { requirement, barred, missing, ..counts })
}

/// Appends a number in groups of seven bits, the lowest group first. All bytes but the last have
/// the highest bit set.
fn put(mut number: u64, packed: &mut Vec<u8>) {
    while number > 0x7f {
        packed.push(0x80 | (number & 0x7f) as u8);
        number >>= 7;
    }
    packed.push((number & 0x7f) as u8);
}

/// Reads one number in the packed form that [`put`] writes, and moves `rest` behind it. `None` when
/// `rest` is empty.
fn take(rest: &mut &[u8]) -> Option<u64> {
    let len = rest.iter().position(|byte| *byte <= 0x7f)? + 1;
    let (number, behind) = rest.split_at(len);
    *rest = behind;
    Some(number.iter().rev().fold(0, |sum, byte| sum << 7 | u64::from(byte & 0x7f)))
}

/// The results of one rule for one side, in the connections of one client with one agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleRow {
    pub rule: RuleId,
    /// The requirement that these are the results about, where the rule checks several; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirement: Option<RequirementId>,
    pub side: Party,
    /// How often the condition of the rule was met, so that the rule was checked.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub exercised: u64,
    /// How often the rule was broken, however many findings that makes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed: u64,
    /// The number of findings that are errors; `warnings` and `infos` count the others. One broken
    /// rule may be several findings.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub errors: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub warnings: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub infos: u64,
    /// How often the condition of the rule was met, but the recording lacked something to judge.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub barred: u64,
    /// What was missing when the rule could not be judged.
    #[serde(default, skip_serializing_if = "EvidenceSet::is_empty")]
    pub missing: EvidenceSet,
}

impl RuleRow {
    /// Nothing about a rule and a side.
    pub(super) fn of(rule: RuleId, side: Party) -> Self {
        Self {
            rule,
            requirement: None,
            side,
            exercised: 0,
            failed: 0,
            errors: 0,
            warnings: 0,
            infos: 0,
            barred: 0,
            missing: EvidenceSet::default(),
        }
    }

    /// Its place in the list of [`shares`]; `None` where the rule does not check the requirement.
    pub(super) fn place(&self) -> Option<usize> {
        self.requirement.map_or(Some(self.rule.0), |id| shares::place(self.rule.0, id.0))
    }
}

/// Kinds of evidence. Takes one byte: a report on many transcripts has millions of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Evidence>", into = "Vec<Evidence>")]
pub struct EvidenceSet(u8);

impl EvidenceSet {
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// The set as bits: bit n is set for the kind `Evidence::ALL[n]`.
    pub(super) fn bits(self) -> u8 {
        self.0
    }

    /// The set with these [`bits`](Self::bits), for unpacking.
    pub(super) fn of_bits(bits: u8) -> Self {
        Self(bits)
    }

    pub(super) fn insert(&mut self, evidence: Evidence) {
        self.0 |= 1 << evidence as u8;
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Evidence> {
        Evidence::ALL.into_iter().filter(move |evidence| self.0 & 1 << *evidence as u8 != 0)
    }
}

impl FromIterator<Evidence> for EvidenceSet {
    fn from_iter<I: IntoIterator<Item = Evidence>>(evidence: I) -> Self {
        let mut set = Self::default();
        evidence.into_iter().for_each(|one| set.insert(one));
        set
    }
}

impl From<Vec<Evidence>> for EvidenceSet {
    fn from(evidence: Vec<Evidence>) -> Self {
        evidence.into_iter().collect()
    }
}

impl From<EvidenceSet> for Vec<Evidence> {
    fn from(set: EvidenceSet) -> Self {
        set.iter().collect()
    }
}

/// A kind of evidence that a recording may lack, so that rules cannot be assessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    Beginning,
    Initialize,
    Sender,
    End,
    /// The request and answer that created a session, such as `session/new`.
    Session,
    /// The bytes of the lines as they were sent, which rules on raw lines need.
    Lines,
}

impl Evidence {
    const ALL: [Self; 6] =
        [Self::Beginning, Self::Initialize, Self::Sender, Self::End, Self::Session, Self::Lines];
}

/// The side whose conduct a result or finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Party {
    Agent,
    Client,
    /// Neither side alone: the side is unknown, or both sides have the duty.
    Either,
}

impl Party {
    pub(super) const ALL: [Self; 3] = [Self::Agent, Self::Client, Self::Either];

    pub(super) fn of(side: Option<Side>) -> Self {
        match side {
            Some(Side::Client) => Self::Client,
            Some(Side::Agent) => Self::Agent,
            None => Self::Either,
        }
    }

    /// The name of the side on pages of the report, such as `client`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Client => "client",
            Self::Either => "either",
        }
    }

    /// The index of the side in the counts of [`crate::check::RuleConduct`].
    pub(super) fn index(self) -> usize {
        match self {
            Self::Client => 0,
            Self::Agent => 1,
            Self::Either => 2,
        }
    }
}

/// A rule, as its index in the catalogue. JSON has the rule's id instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub usize);

impl RuleId {
    pub(super) fn rule(self) -> &'static crate::rule::Rule {
        CATALOGUE[self.0]
    }
}

impl Serialize for RuleId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.rule().id)
    }
}

impl<'de> Deserialize<'de> for RuleId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        match crate::rules::find(&id) {
            Some((index, _)) => Ok(Self(index)),
            None => Err(de::Error::custom(format!("there is no rule `{id}`"))),
        }
    }
}

/// The id of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequirementId(pub &'static str);

impl Serialize for RequirementId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for RequirementId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        match requirements::find(&id) {
            Some(requirement) => Ok(Self(requirement.id)),
            None => Err(de::Error::custom(format!("there is no requirement `{id}`"))),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
pub(super) fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_come_out_as_they_went_in(
            rows in prop::collection::vec(
                (0..400_usize, 0..3_usize, prop::array::uniform6(prop_oneof![
                    Just(0_u64), 1..300_u64, any::<u64>(),
                ]), 0..64_u8),
                0..20,
            ),
        ) {
            let rows: Vec<_> = rows.into_iter().map(|(rule, side, counts, missing)| {
                let [exercised, failed, errors, warnings, infos, barred] = counts;
                let (rule, side) = (RuleId(rule), Party::ALL[side]);
                let missing = EvidenceSet::of_bits(missing);
                let row = RuleRow { exercised, failed, errors, ..RuleRow::of(rule, side) };
                RuleRow { warnings, infos, barred, missing, ..row }
            }).collect();
            let packed: RuleRows = rows.iter().cloned().collect();
            prop_assert_eq!(packed.iter().collect::<Vec<_>>(), rows);
        }
    }

    /// Rows must be small: a report may be about a million transcripts, each with a hundred rules.
    #[test]
    fn a_row_takes_a_few_bytes() {
        let row = |rule| RuleRow { exercised: 100, ..RuleRow::of(RuleId(rule), Party::Agent) };
        let packed: RuleRows = (0..100).map(row).collect();
        assert!(packed.0.len() <= 500, "{} bytes", packed.0.len());
    }
}
