//! A client and an agent that play by the protocol, each by what it knows: messages take time, so
//! that they cross as they do in life.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use acpcheck::protocol::{Side, Surface, Version};
use serde_json::{Value, json};

use super::{
    agent::Session,
    client::{Seen, Shell},
    generate::Choices,
};

/// A message as a recorder sees it: in the order of sending.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) from: Side,
    /// Milliseconds since the beginning.
    pub(crate) at: u64,
    pub(crate) message: Value,
}

/// What a conforming client and agent have said to each other.
#[derive(Clone, Debug)]
pub(crate) struct Conversation {
    pub(crate) surface: Surface,
    pub(crate) sent: Vec<Sent>,
}

impl Conversation {
    /// One message a line, as it crosses the wire.
    pub(crate) fn bare(&self) -> String {
        self.sent.iter().map(|sent| format!("{}\n", sent.message)).collect()
    }

    /// With direction and time.
    pub(crate) fn enveloped(&self) -> String {
        let line = |sent: &Sent| {
            let direction = match sent.from {
                Side::Client => "client->agent",
                Side::Agent => "agent->client",
            };
            let at = 1_795_247_615_000 + sent.at;
            format!("{}\n", json!({"ts": at, "dir": direction, "msg": sent.message}))
        };
        self.sent.iter().map(line).collect()
    }
}

/// What a conversation is made from. Parts left out make it shorter, zeros plainer.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub(crate) opening: Vec<u16>,
    pub(crate) steps: Vec<Vec<u16>>,
}

/// Which crossings may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crossings {
    /// None that the catalogue reports although both sides may be in the right: a cancellation
    /// and the end of what it cancels.
    Clear,
    /// All that there are.
    All,
}

/// A request that its sender has not been answered, as that side sees it.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub(crate) id: Value,
    pub(crate) method: String,
    pub(crate) params: Value,
    /// Whether its sender has sent a `$/cancel_request` for it.
    pub(crate) withdrawn: bool,
}

impl Open {
    pub(crate) fn is_about(&self, session: &str) -> bool {
        self.params["sessionId"] == session
    }
}

/// How a side numbers its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbering {
    FromZero,
    FromOne,
    /// The lowest number that is free: ids come back after their answers.
    Lowest,
    Words,
    /// Strings of digits.
    Digits,
}

/// What either side keeps in mind.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) numbering: Numbering,
    next: u64,
    pub(crate) open: Vec<Open>,
    /// Requests of the other side that it has received and not answered.
    pub(crate) duties: Vec<Open>,
    /// Its turns to act so far.
    acts: u64,
}

impl Peer {
    fn new() -> Self {
        Self {
            numbering: Numbering::FromZero,
            next: 0,
            open: Vec::new(),
            duties: Vec::new(),
            acts: 0,
        }
    }

    fn number(&mut self) -> Value {
        let next = self.next;
        self.next += 1;
        match self.numbering {
            Numbering::FromZero => json!(next),
            Numbering::FromOne => json!(next + 1),
            Numbering::Lowest => {
                let is_free = |id: &u64| self.open.iter().all(|open| open.id != *id);
                json!((0..=self.next).find(is_free).unwrap())
            }
            Numbering::Words => json!(format!("req-{next:x}-{}", next * 7919 % 1000)),
            Numbering::Digits => json!(next.to_string()),
        }
    }

    /// Whether it waits for the answer to this method in the session.
    pub(crate) fn asks(&self, method: &str, session: &str) -> bool {
        self.open.iter().any(|open| open.method == method && open.is_about(session))
    }
}

/// A message on its way: its place in the conversation, and how often the receiver had acted when
/// it was sent.
#[derive(Clone, Copy, Debug)]
struct Flight {
    place: usize,
    acts: u64,
}

/// Both sides and what is between them.
pub(crate) struct World<'c> {
    pub(crate) surface: Surface,
    pub(crate) crossings: Crossings,
    pub(crate) choices: Choices<'c>,
    pub(crate) sent: Vec<Sent>,
    now: u64,
    /// To the client, to the agent.
    wires: [VecDeque<Flight>; 2],
    pub(crate) client: Peer,
    pub(crate) agent: Peer,
    /// What both have advertised, by the names in `opening.rs`.
    pub(crate) has: BTreeSet<&'static str>,
    /// Numbers for ids and words of which there must be only one.
    pub(crate) serial: u64,

    // What the client knows.
    pub(crate) seen: BTreeMap<String, Seen>,
    pub(crate) shells: BTreeMap<String, Shell>,
    /// Cursors that the client has not used: with the filter they came with.
    pub(crate) cursors: Vec<(Value, Value)>,
    /// Requests of the agent that the client has cancelled with the work they belong to.
    pub(crate) stopped: Vec<Value>,
    pub(crate) auth_methods: Vec<(String, bool)>,
    /// Whether the client was told to log in, or has logged in by a terminal.
    pub(crate) must_log_in: bool,
    pub(crate) providers_seen: Vec<Value>,
    pub(crate) mcp_servers: Vec<String>,
    /// Whether its sessions have a system prompt, which stays the same.
    pub(crate) is_instructed: Option<bool>,

    // What the agent knows.
    pub(crate) sessions: BTreeMap<String, Session>,
    pub(crate) needs_login: bool,
    pub(crate) is_logged_in: bool,
    pub(crate) auth_state: Option<Value>,
    pub(crate) providers: Vec<Value>,
    pub(crate) links: Vec<String>,
}

/// Turns of the receiver that a message may take: longer than this, and rules that look for signs
/// of its having been read see them.
const LAG: u64 = 1;

impl<'c> World<'c> {
    fn new(surface: Surface, crossings: Crossings) -> Self {
        Self {
            surface,
            crossings,
            choices: Choices(&[]),
            sent: Vec::new(),
            now: 0,
            wires: [VecDeque::new(), VecDeque::new()],
            client: Peer::new(),
            agent: Peer::new(),
            has: BTreeSet::new(),
            serial: 0,
            seen: BTreeMap::new(),
            shells: BTreeMap::new(),
            cursors: Vec::new(),
            stopped: Vec::new(),
            auth_methods: Vec::new(),
            must_log_in: false,
            providers_seen: Vec::new(),
            mcp_servers: Vec::new(),
            is_instructed: None,
            sessions: BTreeMap::new(),
            needs_login: false,
            is_logged_in: false,
            auth_state: None,
            providers: Vec::new(),
            links: Vec::new(),
        }
    }

    /// Plays a whole conversation.
    pub(crate) fn play(surface: Surface, crossings: Crossings, recipe: &'c Recipe) -> Conversation {
        let mut world = Self::new(surface, crossings);
        world.choices = Choices(&recipe.opening);
        world.open();
        for step in &recipe.steps {
            world.choices = Choices(step);
            world.step();
        }
        world.choices = Choices(&[]);
        world.wind_down();
        Conversation { surface, sent: world.sent }
    }

    fn step(&mut self) {
        match self.below(5) {
            0 | 1 => self.deliver_all(),
            2 => self.deliver_to(Side::Client),
            3 => self.deliver_to(Side::Agent),
            _ => {}
        }
        let first = if self.below(3) < 2 { Side::Agent } else { Side::Client };
        for side in [first, first.peer()] {
            if self.act(side) {
                return;
            }
        }
        // Nothing to do as things are known.
        self.deliver_all();
        let _ = self.act(Side::Agent) || self.act(Side::Client);
    }

    fn act(&mut self, side: Side) -> bool {
        self.deliver_overdue(side);
        let has_acted = match side {
            Side::Client => self.client_acts(),
            Side::Agent => self.agent_acts(),
        };
        self.peer(side).acts += u64::from(has_acted);
        has_acted
    }

    /// Everything that was begun comes to its end.
    fn wind_down(&mut self) {
        for _ in 0..5000 {
            self.deliver_all();
            let has_acted = self.agent_finishes() || self.client_finishes();
            if !has_acted && self.wires.iter().all(VecDeque::is_empty) {
                return;
            }
        }
        let last: String =
            self.sent.iter().rev().take(8).map(|sent| format!("{}\n", sent.message)).collect();
        panic!("the conversation does not end:\n{last}");
    }

    pub(crate) fn is_v1(&self) -> bool {
        self.surface.version() == Version::V1
    }

    pub(crate) fn is_unstable(&self) -> bool {
        self.surface.is_unstable()
    }

    pub(crate) fn has(&self, what: &str) -> bool {
        self.has.contains(what)
    }

    // Choices.

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.choices.below(limit)
    }

    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.choices.once_in(times)
    }

    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.choices.below(of.len())].clone()
    }

    pub(crate) fn serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    // Messages.

    pub(crate) fn peer(&mut self, side: Side) -> &mut Peer {
        match side {
            Side::Client => &mut self.client,
            Side::Agent => &mut self.agent,
        }
    }

    pub(crate) fn send(&mut self, from: Side, message: Value) {
        let is_quiet = self.wires.iter().all(VecDeque::is_empty);
        self.now += 1 + self.below(30) as u64;
        // What lies long back has been read: only when nothing is under way may time pass.
        if is_quiet && self.once_in(12) {
            self.now += 4_000;
        }
        let acts = self.peer(from.peer()).acts;
        self.wires[from.peer() as usize].push_back(Flight { place: self.sent.len(), acts });
        self.sent.push(Sent { from, at: self.now, message });
    }

    pub(crate) fn notify(&mut self, from: Side, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.send(from, message);
    }

    pub(crate) fn request(&mut self, from: Side, method: &str, params: Value) {
        let id = self.peer(from).number();
        let open = Open {
            id: id.clone(),
            method: method.into(),
            params: params.clone(),
            withdrawn: false,
        };
        self.peer(from).open.push(open);
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(from, message);
    }

    pub(crate) fn answer(&mut self, from: Side, id: &Value, result: Value) {
        self.send(from, json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    pub(crate) fn refuse(&mut self, from: Side, id: &Value, code: i64, message: &str) {
        self.refuse_with(from, id, json!({"code": code, "message": message}));
    }

    pub(crate) fn refuse_with(&mut self, from: Side, id: &Value, error: Value) {
        self.send(from, json!({"jsonrpc": "2.0", "id": id, "error": error}));
    }

    /// A `session/update`.
    pub(crate) fn update(&mut self, session: &str, update: Value) {
        let params = json!({"sessionId": session, "update": update});
        self.notify(Side::Agent, "session/update", params);
    }

    /// A side withdraws one of its requests.
    pub(crate) fn withdraw(&mut self, from: Side, id: &Value) {
        if let Some(open) = self.peer(from).open.iter_mut().find(|open| open.id == *id) {
            open.withdrawn = true;
        }
        self.notify(from, "$/cancel_request", json!({"requestId": id}));
    }

    // Delivery.

    pub(crate) fn deliver_all(&mut self) {
        self.deliver_to(Side::Client);
        self.deliver_to(Side::Agent);
    }

    pub(crate) fn deliver_to(&mut self, side: Side) {
        while let Some(flight) = self.wires[side as usize].pop_front() {
            self.deliver(side, flight.place);
        }
    }

    fn deliver_overdue(&mut self, side: Side) {
        let acts = self.peer(side).acts;
        while let Some(flight) = self.wires[side as usize].front()
            && acts - flight.acts >= LAG
        {
            let place = flight.place;
            self.wires[side as usize].pop_front();
            self.deliver(side, place);
        }
    }

    fn deliver(&mut self, to: Side, place: usize) {
        let message = self.sent[place].message.clone();
        let id = &message["id"];
        let Some(method) = message["method"].as_str() else {
            let open = &mut self.peer(to).open;
            let place = open.iter().position(|open| open.id == *id).unwrap();
            let asked = open.remove(place);
            let outcome = match message.get("result") {
                Some(result) => Ok(result),
                None => Err(&message["error"]),
            };
            match to {
                Side::Client => self.client_hears(&asked, outcome),
                Side::Agent => self.agent_hears(&asked, outcome),
            }
            return;
        };
        let params = &message["params"];
        if method == "$/cancel_request" {
            let is_named = |duty: &&mut Open| duty.id == params["requestId"];
            if let Some(duty) = self.peer(to).duties.iter_mut().find(is_named) {
                duty.withdrawn = true;
            }
        } else if id.is_null() {
            match to {
                Side::Client => self.client_is_told(method, params),
                Side::Agent => self.agent_is_told(method, params),
            }
        } else {
            let duty = Open {
                id: id.clone(),
                method: method.into(),
                params: params.clone(),
                withdrawn: false,
            };
            let asked = duty.clone();
            self.peer(to).duties.push(duty);
            match to {
                Side::Agent => self.agent_is_asked(&asked),
                Side::Client => {
                    let session = asked.params["sessionId"].as_str().unwrap_or_default();
                    if self.seen.get(session).is_some_and(|seen| seen.cancelling) {
                        self.stopped.push(asked.id);
                    }
                }
            }
        }
    }

    /// The side answers the duty: it is taken from the list.
    pub(crate) fn take_duty(&mut self, side: Side, id: &Value) -> Open {
        let duties = &mut self.peer(side).duties;
        let place = duties.iter().position(|duty| duty.id == *id).unwrap();
        duties.remove(place)
    }
}
