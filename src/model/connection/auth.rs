//! Authentication: the methods that the agent offers, and how far the client has come with them.
//!
//! ```text
//!              login answered                  
//! (logged out) ──────────────▶ logged in
//!      ▲                          │ logout answered
//!      └──────────────────────────┘
//! ```

use crate::{
    event::Call,
    json::{Node, Text},
    map::{Map, hash_of},
    model::{
        anchor::{Anchor, Pointer},
        by_id::{ById, HasId},
        digest,
        request::Request,
        response::Answer,
    },
    protocol::{Version, methods},
};

/// Code of the JSON-RPC error by which an agent refuses a request until the client has logged in.
pub const REQUIRED: i64 = -32000;

/// What is known of logins on one connection: the methods that the agent offers, successful logins,
/// and refusals for want of a login.
#[derive(Clone, Debug, Default)]
pub struct Authentication {
    /// Place of `authMethods` in the last successful answer to `initialize`, so that a finding can
    /// point at it; the whole answer when it has none.
    pub offer: Option<Anchor>,
    pub methods: ById<AuthMethod>,
    /// Whether the agent offers an authentication method that official readers keep.
    pub is_offered: bool,
    /// Whether the agent offers a method that logs in through a terminal.
    pub has_terminal: bool,
    /// The last successful login; `None` when there was none, or after a logout.
    pub login: Option<Login>,
    /// The answers that refused a request for want of a login since the client last tried to log
    /// in: the first for each method and session. The key is a hash, see `demand`.
    refused: Map<u64, Anchor>,
    /// The last `auth/status_update` of the agent; `None` when it reports no state, or before the
    /// first.
    pub update: Option<AuthReport>,
    /// The agent's last report about logins, in an `auth/status_update` or an answer to
    /// `auth/status`; `None` while there is none.
    pub report: Option<AuthReport>,
}

/// An authentication method that the agent offers in `authMethods`.
#[derive(Clone, Debug)]
pub struct AuthMethod {
    pub id: Box<str>,
    /// Place of the method's id, so that a finding can point at it.
    pub at: Anchor,
    /// The method's `type`: `terminal`, `agent` or a custom one; `None` when it has no type.
    pub kind: Option<Box<str>>,
    /// Whether official readers keep the method. They drop one that lacks a required member.
    pub is_kept: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Login {
    /// Place of the answer that confirmed the login, so that a finding can point at it.
    pub at: Anchor,
    /// Message number of the answer that confirmed the login.
    pub number: u64,
    /// Time of the answer that confirmed the login, in seconds on the recorder's clock; `None`
    /// without a time.
    pub time: Option<f64>,
}

/// A report of the agent on the state of authentication, in an update or an answer.
#[derive(Clone, Debug)]
pub struct AuthReport {
    pub state: Box<str>,
    /// Hash of the reported state and accounts, to compare two reports.
    pub digest: u64,
    pub at: Anchor,
}

impl Authentication {
    /// The offered authentication method with this id; `None` when the agent does not offer one.
    pub fn method(&self, id: &str) -> Option<&AuthMethod> {
        self.methods.named(id)
    }

    /// Place of the first answer that refused a request of this method and session for want of a
    /// login, since the client last tried to log in; `None` without one.
    pub fn refused(&self, method: &str, session_id: Option<Text<'_>>) -> Option<Anchor> {
        let session_id = session_id.map(Text::as_cow);
        self.refused.get(&demand(method, session_id.as_deref())).copied()
    }

    pub(super) fn apply_call(&mut self, method: &str, call: &Call<'_>) {
        match method {
            _ if methods::logs_in(method) => self.refused.clear(),
            "auth/status_update" => {
                self.update =
                    call.params.and_then(|params| AuthReport::of(params, &"/params/state"));
                self.report = self.update.clone().or(self.report.take());
            }
            _ => {}
        }
    }

    pub(super) fn apply_answer(
        &mut self,
        answer: &Answer<'_>,
        version: Option<Version>,
        number: u64,
    ) {
        let request = answer.request;
        match (&*request.method, answer.result()) {
            ("initialize", Some(result)) => self.offer(result, version, answer),
            (method, Some(_)) if methods::logs_in(method) => {
                let at = Anchor::of(answer.node, &"");
                // The login may have been under way when the demand came.
                self.refused.clear();
                if !answer.ambiguous {
                    self.login = Some(Login { at, number, time: answer.at });
                }
            }
            (method, Some(_)) if methods::logs_out(method) => self.log_out(),
            ("auth/status", Some(result)) => {
                self.report = AuthReport::of(result, &"/result/state").or(self.report.take());
            }
            (method, None)
                if answer.error_code() == Some(REQUIRED) && !methods::is_authentication(method) =>
            {
                let demand = demand(&request.method, request.session_id.as_deref());
                let at = Anchor::of(answer.node, &"");
                self.refused.entry(demand).or_insert(at);
            }
            _ => {}
        }
    }

    /// Notes that a request was answered, when it is unknown with what. A request that logs in or
    /// out then counts as successful.
    pub(super) fn apply_settled(&mut self, request: &Request) {
        if methods::logs_in(&request.method) {
            self.refused.clear();
        } else if methods::logs_out(&request.method) {
            self.log_out();
        }
    }

    fn log_out(&mut self) {
        self.login = None;
        self.report = None;
    }

    fn offer(&mut self, result: Node<'_>, version: Option<Version>, answer: &Answer<'_>) {
        let offered = result.get("authMethods");
        self.offer = Some(match offered {
            Some(offered) => Anchor::of(offered, &"/result/authMethods"),
            None => Anchor::of(answer.node, &""),
        });
        let methods = offered.into_iter().flat_map(Node::elements);
        self.methods = methods.filter_map(|method| AuthMethod::of(method, version)).collect();
        self.is_offered = self.methods.iter().any(|method| method.is_kept);
        self.has_terminal = self.methods.iter().any(AuthMethod::is_terminal);
    }
}

/// The key of `refused`: a hash of a method and the session that a request is about.
fn demand(method: &str, session_id: Option<&str>) -> u64 {
    hash_of((method, session_id))
}

impl HasId for AuthMethod {
    fn id(&self) -> &str {
        &self.id
    }
}

impl AuthMethod {
    /// The members that hold the id of an authentication method: `id` on version 1, `methodId` on
    /// version 2.
    pub const IDS: [&str; 2] = ["id", "methodId"];

    /// The member that holds the id of an authentication method on this version: `id` or
    /// `methodId`. That of version 1 for an unknown version.
    pub fn id_member(version: Option<Version>) -> &'static str {
        Self::IDS[usize::from(version == Some(Version::V2))]
    }

    fn of(method: Node<'_>, version: Option<Version>) -> Option<Self> {
        let own = method.get(Self::id_member(version)).and_then(Node::text);
        let other = || Self::IDS.into_iter().find_map(|name| method.get(name)?.text());
        let kind = method.get("type").and_then(Node::text);
        let is_named = method.get("name").is_some_and(Node::is_string);
        let id = own.or_else(other)?;
        Some(Self {
            id: id.to_boxed(),
            at: Anchor::of(id.node(), &"/result/authMethods"),
            kind: kind.map(Text::to_boxed),
            is_kept: own.is_some() && is_named && (kind.is_some() || version != Some(Version::V2)),
        })
    }

    pub fn is_terminal(&self) -> bool {
        self.kind.as_deref() == Some("terminal")
    }
}

impl AuthReport {
    fn of(report: Node<'_>, pointer: Pointer) -> Option<Self> {
        let state = report.get("state")?;
        Some(Self {
            state: state.text()?.to_boxed(),
            digest: Self::digest(report),
            at: Anchor::of(state, pointer),
        })
    }

    /// Hash of the state and the accounts in a report, to compare two reports. An empty list of
    /// accounts counts as none.
    pub fn digest(report: Node<'_>) -> u64 {
        let digest = |name| report.get(name).map_or(0, digest::of);
        let accounts = report.get("accounts").filter(|accounts| !accounts.is_empty());
        digest("state").wrapping_mul(31).wrapping_add(accounts.map_or(0, digest::of))
    }
}
