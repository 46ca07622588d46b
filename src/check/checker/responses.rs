//! Judges responses: finds the request that is answered, and judges the answer with it.

use crate::{
    check::{
        checker::{Checker, schema::is_newer},
        observer::EventKind,
    },
    event::{Envelope, Message},
    json::Node,
    model::{
        Anchor, Answer, Id, MessagePart, Request, RequestFacts, Response, SchemaEvent, Stray,
        StrayKind,
        connection::{
            negotiation::{UNSUPPORTED_VERSION, written_in},
            rpc::{Ambiguity, ResponseMatch},
        },
        response::Contested,
    },
    protocol::{Side, Version, methods, schema::ResponseFit},
    transcript::apparent::answering_side,
};

impl Checker {
    pub(super) fn check_response(&mut self, message: &mut Message<'_>, id: Node<'_>) {
        if self.is_mixed() {
            self.unassigned += 1;
            return;
        }
        let Envelope { result, error, .. } = message.envelope;
        let outcome = match (result, error) {
            (Some(result), _) if error.is_none_or(Node::is_null) => Response::Result(result),
            (_, Some(error)) => Response::Error(error),
            (Some(result), None) => Response::Result(result),
            (None, None) => return self.check_malformed(message),
        };
        let schemas = self.schemas(self.verdicts.connection.version());
        let answering = match outcome {
            Response::Result(result) => answering_side(result),
            // Both sides refuse with whatever code they like.
            Response::Error(_) => None,
        };
        let fit = |request: &Request| match outcome {
            _ if answering.is_some() && request.sender == answering => ResponseFit::Never,
            Response::Result(result) => schemas.fit(&request.method, result),
            Response::Error(_) => ResponseFit::Perhaps,
        };
        // Where one side alone is on record, a response is of that side.
        let only = self.settings.recording.only;
        let recorded = message.recorded.or_else(|| Some(answering.unwrap_or(only?)));
        message.sender = recorded;
        // In a recording of one side, which begins anywhere, requests and responses of the same
        // side must not be paired because they share an id.
        let connection = &self.verdicts.connection;
        let is_whole = message.recorded.is_some() || connection.head_is_complete();
        let speaks = [Side::Client, Side::Agent].map(|side| connection.last_of(side) > 0);
        let may_answer = |request: &Request| {
            is_whole
                || request.sender.is_none_or(|asker| speaks[asker.peer() as usize])
                || (error.is_none() && fit(request) >= ResponseFit::Perhaps)
        };
        let contested = Contested {
            at: Anchor::of(message.node, &""),
            number: connection.number(),
            is_error: Some(matches!(outcome, Response::Error(_))),
        };
        let rpc = &mut self.verdicts.connection.rpc;
        let found = rpc.take(&Id::of(id), recorded, contested, fit, may_answer);
        match found {
            ResponseMatch::Request(request, ambiguity, settled) => {
                for settled in &settled {
                    self.verdicts.connection.apply_settled(settled);
                }
                message.sender = message.sender.or(request.sender.map(Side::peer));
                let ambiguous = ambiguity == Ambiguity::Ambiguous;
                // What answers an extension is not judged in any case.
                let extensions = settled.iter().filter(|it| it.request.is_of_extension()).count();
                self.ambiguous = self.ambiguous.saturating_sub(extensions as u64);
                // It may as well be another answer to what the other side asked under this id.
                let is_odd = message.recorded.is_none()
                    && request.is_of_extension()
                    && [Side::Client, Side::Agent].into_iter().any(|asker| {
                        let may_be_own = matches!(outcome, Response::Error(_))
                            || answering == Some(asker.peer());
                        let rpc = &self.verdicts.connection.rpc;
                        may_be_own && rpc.answered(Some(asker), &request.id).is_some()
                    });
                self.ambiguous += u64::from(ambiguous || is_odd);
                self.answer(message, id, outcome, &request, ambiguous);
            }
            ResponseMatch::Contested => {
                self.ambiguous += 1;
                self.verdicts.connection.apply_contested(&Id::of(id));
                let scope = self.verdicts.own_scope(message.sender);
                self.run_message(scope, message);
            }
            ResponseMatch::OtherType(request) => {
                message.sender = message.sender.or(request.sender.map(Side::peer));
                self.stray(message, id, StrayKind::OtherType(&request));
                let answer = Answer { message, id, outcome, request: &request, ambiguous: true };
                self.verdicts.connection.apply_answer(&answer);
            }
            ResponseMatch::Answered(done) => {
                message.sender = message.sender.or(done.asker.map(Side::peer));
                self.stray(message, id, StrayKind::Answered(done));
                // The other side may go by this answer.
                if result.is_some() {
                    self.verdicts.connection.note_lost_passage(message.sender);
                }
            }
            // In recordings of one side, most answers have no request.
            ResponseMatch::Unknown if message.sender.is_none() && !id.is_null() => {
                message.sender = result.and_then(answering_side);
                self.stray(message, id, StrayKind::Unknown);
            }
            ResponseMatch::Unknown if id.is_null() => self.stray(message, id, StrayKind::Null),
            ResponseMatch::Unknown => {
                self.stray(message, id, StrayKind::Unknown);
                if only == Some(Side::Agent) {
                    self.verdicts.connection.note_unrecorded_requests();
                }
            }
        }
    }

    fn stray(&mut self, message: &Message<'_>, id: Node<'_>, why: StrayKind<'_>) {
        let scope = self.verdicts.own_scope(message.sender);
        self.run_message(scope, message);
        let stray = Stray { message, id, why };
        self.note_response(message, None);
        let listeners = &self.dispatch[scope.version as usize].stray;
        self.verdicts.run(listeners, scope, |check, connection| check(&stray, connection));
    }

    fn answer(
        &mut self,
        message: &Message<'_>,
        id: Node<'_>,
        outcome: Response<'_>,
        request: &Request,
        ambiguous: bool,
    ) {
        let offered = match request.facts {
            RequestFacts::Initialize { version: Some((number, _)), .. } => number,
            _ => 0,
        };
        // The result of `initialize` is judged by the version that it names.
        let named = (&*request.method == "initialize")
            .then(|| match outcome {
                Response::Result(result) => {
                    let number = result.get("protocolVersion")?.integer()?;
                    Version::of(number)
                        .or_else(|| written_in(result).filter(|_| !(1..=offered).contains(&number)))
                }
                // Only version 2 refuses a version.
                Response::Error(error) => {
                    (error.get("code")?.integer()? == UNSUPPORTED_VERSION).then_some(Version::V2)
                }
            })
            .flatten();
        let version = named.or_else(|| self.verdicts.connection.version());
        let scope = self.verdicts.scope(version, message.sender).with_method(&request.method);
        self.run_message(scope, message);
        let answer = Answer { message, id, outcome, request, ambiguous };
        self.note_response(message, Some(&request.method));
        // Nothing rests on a guess.
        if !ambiguous {
            let listeners = &self.dispatch[scope.version as usize].answer;
            for listeners in listeners.of(&request.method) {
                self.verdicts.run(listeners, scope, |check, connection| check(&answer, connection));
            }
        }
        if let Response::Result(result) = outcome
            && !ambiguous
            && let Some(calls) = self.schemas(version).find(&request.method, true).1
            && let Some(definitions) = calls.results()
            && !(&*request.method == "initialize" && is_newer(Some(result), offered))
        {
            let part = MessagePart::Result;
            let (version, method) = (scope.version, &*request.method);
            let part =
                SchemaEvent { message, version, method, part, request: Some(request), what: () };
            self.check_part(scope, definitions, Some(result), &part);
        }
        self.notify_observers(EventKind::Answer(&answer));
        self.verdicts.connection.apply_answer(&answer);
    }

    /// Counts an answer. `method` is that of the request; `None` where the request
    /// is not on record.
    fn note_response(&mut self, message: &Message<'_>, method: Option<&str>) {
        let counts = &mut self.verdicts.counts;
        counts.creates_session |=
            message.envelope.result.is_some() && method.is_some_and(methods::creates_session);
        let Some(notes) = &mut counts.notes else { return };
        match message.envelope.result {
            Some(result) => notes.result(method, message.sender, result),
            None => notes.error(method, message.sender),
        }
    }
}
