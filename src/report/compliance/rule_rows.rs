//! The results of rules, packed: a report on many transcripts has millions of them.

use serde::{Deserialize, Serialize};

use super::document::{EvidenceSet, Party, RuleId, RuleRow};

/// Results of rules, in some five bytes each: most counts are zero, and these are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<RuleRow>", into = "Vec<RuleRow>")]
pub struct RuleRows(Box<[u8]>);

impl RuleRows {
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

/// Appends a row: its rule, its side, one bit for each member that is not zero, and these members.
fn pack(row: &RuleRow, packed: &mut Vec<u8>) {
    let RuleRow { rule, side, exercised, failed, errors, warnings, infos, barred, missing } = *row;
    let members = [exercised, failed, errors, warnings, infos, barred, missing.bits().into()];
    put(rule.0 as u64, packed);
    packed.push(side as u8);
    let bits = members.iter().rev().fold(0, |bits, member| bits << 1 | u8::from(*member > 0));
    packed.push(bits);
    for member in members.into_iter().filter(|member| *member > 0) {
        put(member, packed);
    }
}

/// Takes the first row off what [`pack`] has appended.
fn unpack(rest: &mut &[u8]) -> Option<RuleRow> {
    let rule = RuleId(usize::try_from(take(rest)?).ok()?);
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
    Some(RuleRow { rule, side, exercised, failed, errors, warnings, infos, barred, missing })
}

/// Appends a number in groups of seven bits, the lowest first. All bytes but the last have the highest
/// bit set.
fn put(mut number: u64, packed: &mut Vec<u8>) {
    while number > 0x7f {
        packed.push(0x80 | (number & 0x7f) as u8);
        number >>= 7;
    }
    packed.push((number & 0x7f) as u8);
}

/// Takes the first number off what [`put`] has appended.
fn take(rest: &mut &[u8]) -> Option<u64> {
    let len = rest.iter().position(|byte| *byte <= 0x7f)? + 1;
    let (number, behind) = rest.split_at(len);
    *rest = behind;
    Some(number.iter().rev().fold(0, |sum, byte| sum << 7 | u64::from(byte & 0x7f)))
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
                RuleRow { rule, side, exercised, failed, errors, warnings, infos, barred, missing }
            }).collect();
            let packed: RuleRows = rows.iter().cloned().collect();
            prop_assert_eq!(packed.iter().collect::<Vec<_>>(), rows);
        }
    }

    /// A report may be about a million transcripts, each with a hundred rules.
    #[test]
    fn a_row_takes_a_few_bytes() {
        let row = |rule| RuleRow {
            rule: RuleId(rule),
            side: Party::Agent,
            exercised: 100,
            failed: 0,
            errors: 0,
            warnings: 0,
            infos: 0,
            barred: 0,
            missing: EvidenceSet::default(),
        };
        let packed: RuleRows = (0..100).map(row).collect();
        assert!(packed.0.len() <= 500, "{} bytes", packed.0.len());
    }
}
