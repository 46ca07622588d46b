//! The answered requests of one sender, by id. Ids that are numbered consecutively are kept in an
//! array, others in a map.

use crate::{
    map::IndexMap,
    model::request::{AnsweredRequest, id::Id},
};

/// The answered requests of one side, or of unknown senders, by id. Consecutive numbers are kept in
/// an array, which takes less memory than a map.
#[derive(Clone, Debug, Default)]
pub(super) struct Answered {
    /// The request id that index 0 of `counted` stands for; index 1 stands for the next id, and so
    /// on.
    first: i64,
    /// Requests whose ids are consecutive numbers: index 0 has the id `first`. `None` for an id
    /// that was not answered.
    counted: Vec<Option<AnsweredRequest>>,
    others: IndexMap<Id, AnsweredRequest>,
}

impl Answered {
    /// How far, in ids, a number may be beyond the array's last one and still extend the array.
    const AHEAD: usize = 8;

    pub(super) fn get(&self, id: &Id) -> Option<&AnsweredRequest> {
        let counted = self.place(id).and_then(|place| self.counted.get(place)?.as_ref());
        counted.or_else(|| self.others.get(id))
    }

    /// The index in the array that belongs to an id, up to 8 beyond its end; `None` for ids that
    /// are kept in the map.
    fn place(&self, id: &Id) -> Option<usize> {
        let Id::Number(number) = id else { return None };
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        (place < self.counted.len() + Self::AHEAD).then_some(place)
    }

    /// Adds an answered request. Replaces an earlier one with the same id, and counts the uses of
    /// the id.
    pub(super) fn add(&mut self, id: &Id, done: AnsweredRequest) {
        if let (Id::Number(number), []) = (id, &*self.counted) {
            self.first = *number;
        }
        let again = |old: &AnsweredRequest| AnsweredRequest { uses: old.uses + done.uses, ..done };
        match self.place(id) {
            Some(place) if !self.others.contains_key(id) => {
                if place >= self.counted.len() {
                    self.counted.resize(place + 1, None);
                }
                let known = &mut self.counted[place];
                *known = Some(known.as_ref().map_or(done, again));
            }
            _ => {
                let known = self.others.get(id).map_or(done, again);
                self.others.insert(id.clone(), known);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::anchor::Anchor, source::Origin};

    fn done(line: u32) -> AnsweredRequest {
        let span = Origin { line, ..Origin::START }.span(0, 1);
        let at = Anchor::at(span, &"");
        AnsweredRequest { request: at, answer: at, asker: None, uses: 1 }
    }

    /// For tests: a recording may hold a million answered requests, so each has to be small.
    #[test]
    fn an_answered_request_takes_few_bytes() {
        assert!(
            size_of::<Option<AnsweredRequest>>() <= 72,
            "{} bytes",
            size_of::<Option<AnsweredRequest>>()
        );
    }

    #[test]
    fn each_id_is_found_whatever_the_order() {
        let numbers = [7, 8, 10, 9, 30, 6, 11, 12, 19, 27, 30, -1, i64::MAX, i64::MIN];
        let ids = numbers.map(Id::Number).into_iter().chain([Id::Null, Id::Text("7".into())]);
        let ids: Vec<_> = ids.collect();
        let mut answered = Answered::default();
        for (line, id) in (1..).zip(&ids) {
            answered.add(id, done(line));
        }
        for (line, id) in (1..).zip(&ids) {
            let found = answered.get(id).expect("added");
            let is_again = *id == Id::Number(30);
            assert_eq!(found.uses, 1 + u32::from(is_again), "{id}");
            assert_eq!(found.answer.span().line, if is_again { 11 } else { line }, "{id}");
        }
        assert!(answered.get(&Id::Number(13)).is_none());
        assert!(answered.get(&Id::Text("8".into())).is_none());
    }
}
