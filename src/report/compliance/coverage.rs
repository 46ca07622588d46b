//! Coverage: the methods and session updates of each surface that the transcripts contain.

use std::collections::BTreeMap;

use super::document::{Compliance, MethodCounts, Party};
use crate::protocol::{
    Edition, Surface,
    schema::{self, Handler, Protocol},
};

/// The methods and session updates of a surface that the transcripts contain, and those that they
/// lack.
#[derive(Debug)]
pub(super) struct Coverage {
    pub(super) surface: String,
    pub(super) methods: Vec<MethodRow>,
    /// The number of methods seen, and the number that the surface defines.
    pub(super) methods_seen: (usize, usize),
    pub(super) methods_unseen: Vec<&'static str>,
    pub(super) updates: Vec<(String, u64, &'static str)>,
    pub(super) updates_seen: (usize, usize),
    pub(super) updates_unseen: Vec<&'static str>,
}

#[derive(Debug)]
pub(super) struct MethodRow {
    pub(super) method: String,
    pub(super) from: &'static str,
    /// What the method is if the surface does not define it, such as `extension` or `draft`; empty
    /// if it does.
    pub(super) remark: &'static str,
    /// The numbers of messages: index 0 requests, 1 notifications, 2 results, 3 errors.
    pub(super) counts: [u64; 4],
}

impl Coverage {
    pub(super) fn summary(&self) -> String {
        let (seen, defined) = self.methods_seen;
        let (kinds_seen, kinds) = self.updates_seen;
        format!(
            "The recordings contain {seen} of {defined} methods and {kinds_seen} of {kinds} kinds of \
             session updates that the surface defines."
        )
    }
}

/// The coverage of each surface that the transcripts of the report speak.
pub(super) fn coverage(compliance: &Compliance) -> Vec<Coverage> {
    let mut seen: BTreeMap<Option<Surface>, Seen> = BTreeMap::new();
    let mut edition = Edition::CURRENT;
    for file in &compliance.files {
        edition = file.edition.0;
        for pairing in &file.pairings {
            let seen = seen.entry(pairing.surface.map(|surface| surface.0)).or_default();
            pairing.methods.iter().for_each(|method| seen.method(method));
            for update in &pairing.updates {
                let kind = update.kind.clone().unwrap_or_else(|| "others".to_owned());
                *seen.updates.entry(kind).or_default() += update.count;
            }
        }
    }
    seen.into_iter().map(|(surface, seen)| seen.coverage(surface, edition)).collect()
}

/// The numbers of calls and session updates on connections with one surface.
#[derive(Debug, Default)]
struct Seen {
    /// For each method and the side that calls it: the numbers of requests (index 0), notifications
    /// (1), results (2) and errors (3). An answer counts for its request.
    methods: BTreeMap<(Option<String>, Party), [u64; 4]>,
    updates: BTreeMap<String, u64>,
}

impl Seen {
    fn method(&mut self, method: &MethodCounts) {
        let asker = match method.side {
            Party::Agent => Party::Client,
            Party::Client => Party::Agent,
            Party::Either => Party::Either,
        };
        let calls = [method.requests, method.notifications, 0, 0];
        let answers = [0, 0, method.results, method.errors];
        for (party, counts) in [(method.side, calls), (asker, answers)] {
            if counts == [0; 4] {
                continue;
            }
            let sums = self.methods.entry((method.method.clone(), party)).or_default();
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
    }

    fn coverage(self, surface: Option<Surface>, edition: Edition) -> Coverage {
        let own = surface.map(|surface| Protocol::of(surface, edition));
        let draft = surface.map(|it| Protocol::of(Surface::unstable(it.version()), edition));
        let is_called =
            |name: &str| self.methods.keys().any(|(method, _)| method.as_deref() == Some(name));
        let defined: Vec<_> = own.into_iter().flat_map(Protocol::methods).collect();
        let is_proxy = |call: &schema::Method| {
            let uses = [&call.request, &call.notification];
            uses.into_iter().flatten().all(|call| call.handler == Handler::Proxy)
        };
        let defined: Vec<_> = defined.into_iter().filter(|method| !is_proxy(method)).collect();
        let methods_unseen: Vec<_> =
            defined.iter().map(|method| method.name).filter(|name| !is_called(name)).collect();
        let remark = |name: Option<&str>| match name {
            None => "not recorded",
            Some(name) if own.is_none_or(|own| own.method(name).is_some()) => "",
            Some(name) if draft.is_some_and(|draft| draft.method(name).is_some()) => "draft",
            Some(name) if name.starts_with('_') || name.starts_with("$/") => "extension",
            Some(_) => "not defined",
        };
        let methods = self.methods.iter().map(|((method, party), counts)| MethodRow {
            method: method.clone().unwrap_or_else(|| "others".to_owned()),
            from: match party {
                Party::Agent => "agent",
                Party::Client => "client",
                Party::Either => "unknown",
            },
            remark: remark(method.as_deref()),
            counts: *counts,
        });

        let kinds = |protocol: Option<&'static Protocol>| {
            let definition = protocol.and_then(|protocol| protocol.definition("SessionUpdate"));
            definition.into_iter().flat_map(|it| it.tags("sessionUpdate")).collect::<Vec<_>>()
        };
        let (own_kinds, draft_kinds) = (kinds(own), kinds(draft));
        let updates_unseen: Vec<_> =
            own_kinds.iter().copied().filter(|kind| !self.updates.contains_key(*kind)).collect();
        let updates = self.updates.iter().map(|(kind, count)| {
            let remark = if own.is_none() || own_kinds.contains(&&**kind) {
                ""
            } else if draft_kinds.contains(&&**kind) {
                "draft"
            } else if kind.starts_with('_') {
                "extension"
            } else {
                "not defined"
            };
            (kind.clone(), *count, remark)
        });
        Coverage {
            surface: surface.map_or("unknown version".to_owned(), |it| it.name().to_owned()),
            methods: methods.collect(),
            methods_seen: (defined.len() - methods_unseen.len(), defined.len()),
            methods_unseen,
            updates: updates.collect(),
            updates_seen: (own_kinds.len() - updates_unseen.len(), own_kinds.len()),
            updates_unseen,
        }
    }
}
