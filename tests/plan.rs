//! Plans over whole turns: what simulated agents are told about their lists, what a client shows
//! after each kind of message, and the near misses that single fixtures are too small for.

use std::{
    fmt::Write as _,
    sync::{Arc, Mutex},
};

use acpcheck::{
    check::{EventKind, Settings},
    diagnostic::Diagnostic,
    model::session::plans::{Content, PlanState},
    plans::{self, EntryChange, PlanStepKind, PlanView, ShownPlans},
};

const TURNS: usize = 300;

/// Pseudo-random numbers (xorshift), the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Pending,
    InProgress,
    Completed,
}

use Status::{Completed, InProgress, Pending};

/// A step of an agent's own plan.
#[derive(Clone, Debug)]
struct Step {
    text: String,
    status: Status,
}

impl Step {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), status: Pending }
    }

    fn entry(&self) -> String {
        let status = match self.status {
            Pending => "pending",
            InProgress => "in_progress",
            Completed => "completed",
        };
        format!(r#"{{"content":"{}","priority":"medium","status":"{status}"}}"#, self.text)
    }
}

fn steps(random: &mut Random) -> Vec<Step> {
    let count = 3 + random.below(6);
    (1..=count).map(|number| Step::new(format!("Step {number}"))).collect()
}

/// The whole list after each change: steps are begun and finished one after the other, at times the
/// end of one and the beginning of the next in one message.
fn work(random: &mut Random, mut plan: Vec<Step>, mut send: impl FnMut(&mut Vec<Step>)) {
    send(&mut plan);
    loop {
        let Some(next) = plan.iter().position(|step| step.status != Completed) else { return };
        if plan[next].status == Pending {
            plan[next].status = InProgress;
            send(&mut plan);
            continue;
        }
        plan[next].status = Completed;
        let following = plan.iter().position(|step| step.status == Pending);
        if let (Some(following), true) = (following, random.chance(50)) {
            plan[following].status = InProgress;
        }
        send(&mut plan);
    }
}

fn full(random: &mut Random) -> Vec<Vec<Step>> {
    let mut lists = Vec::new();
    let plan = steps(random);
    work(random, plan, |plan| lists.push(plan.clone()));
    lists
}

/// "Step 1" is "Doing step 1" while it is in progress.
fn reworded(random: &mut Random) -> Vec<Vec<Step>> {
    let mut lists = full(random);
    for step in lists.iter_mut().flatten() {
        match step.status {
            Pending => {}
            InProgress => step.text.insert_str(0, "Doing "),
            Completed => step.text.insert_str(0, "Done: "),
        }
    }
    lists
}

/// Finished steps are listed once as such, or not at all.
fn pruned(random: &mut Random) -> Vec<Vec<Step>> {
    let mut lists = full(random);
    let at_once = random.chance(50);
    let mut seen: Vec<String> = Vec::new();
    for list in &mut lists {
        list.retain(|step| step.status != Completed || !at_once && !seen.contains(&step.text));
        seen.extend(list.iter().filter(|it| it.status == Completed).map(|it| it.text.clone()));
    }
    lists
}

fn growing(random: &mut Random) -> Vec<Vec<Step>> {
    let mut lists = Vec::new();
    let plan = steps(random);
    let mut added = 0;
    let mut other = Random(random.0);
    work(random, plan, |plan| {
        if added < 3 && other.chance(30) {
            added += 1;
            plan.push(Step::new(format!("Extra step {added}")));
        }
        lists.push(plan.clone());
    });
    lists
}

/// What is not finished is planned anew, in other words.
fn planned_anew(random: &mut Random) -> Vec<Vec<Step>> {
    let mut lists = Vec::new();
    let plan = steps(random);
    let mut times = 0;
    let mut other = Random(random.0);
    work(random, plan, |plan| {
        if times < 2 && other.chance(20) {
            times += 1;
            plan.retain(|step| step.status == Completed);
            let count = 2 + other.below(3);
            plan.extend((0..count).map(|step| Step::new(format!("Way {times} step {step}"))));
        }
        lists.push(plan.clone());
    });
    lists
}

/// The list is cleared and begun again.
fn reset(random: &mut Random) -> Vec<Vec<Step>> {
    let mut lists = full(random);
    lists.truncate(1 + random.below(lists.len()));
    lists.push(Vec::new());
    lists.extend(full(random));
    lists
}

/// Pending steps are dropped at times; finished ones stay.
fn dropping(random: &mut Random) -> Vec<Vec<Step>> {
    let mut lists = Vec::new();
    let plan = steps(random);
    let mut other = Random(random.0);
    work(random, plan, |plan| {
        // Whatever is listed before the first end of a step is whole.
        if plan.iter().any(|step| step.status == Completed) && other.chance(25) {
            let pending = plan.iter().rposition(|step| step.status == Pending);
            pending.map(|pending| plan.remove(pending));
        }
        lists.push(plan.clone());
    });
    lists
}

/// Pending steps are dropped at times, and finished ones are not listed.
fn dropping_and_pruning(random: &mut Random) -> Vec<Vec<Step>> {
    let mut lists = dropping(random);
    for list in &mut lists {
        list.retain(|step| step.status != Completed);
    }
    lists.retain(|list| !list.is_empty());
    lists
}

/// After some steps all that is left is dropped.
fn finishing_early(random: &mut Random) -> Vec<Vec<Step>> {
    let mut lists = full(random);
    let done = |list: &Vec<Step>| list.iter().filter(|step| step.status == Completed).count();
    let enough = 2 + random.below(2);
    let end = lists.iter().position(|list| done(list) >= enough).unwrap();
    lists.truncate(end + 1);
    lists[end].retain(|step| step.status == Completed);
    lists
}

/// The first list is whole; then only what has changed is sent.
fn changes_only(random: &mut Random) -> Vec<Vec<Step>> {
    let lists = full(random);
    let mut changes = vec![lists[0].clone()];
    for pair in lists.windows(2) {
        let is_new = |step: &&Step| {
            !pair[0].iter().any(|old| old.text == step.text && old.status == step.status)
        };
        changes.push(pair[1].iter().filter(is_new).cloned().collect());
    }
    changes
}

/// The same with a message for each entry.
fn one_a_message(random: &mut Random) -> Vec<Vec<Step>> {
    let mut lists = changes_only(random);
    let first = lists.remove(0);
    let rest = lists.into_iter().flatten().map(|step| vec![step]);
    std::iter::once(first).chain(rest).collect()
}

/// Each step is sent once, when it begins.
fn each_alone(random: &mut Random) -> Vec<Vec<Step>> {
    steps(random).into_iter().map(|step| vec![Step { status: InProgress, ..step }]).collect()
}

/// The current step and the next.
fn window(random: &mut Random) -> Vec<Vec<Step>> {
    let plan = steps(random);
    (0..plan.len())
        .map(|current| {
            let mut pair: Vec<_> = plan[current..].iter().take(2).cloned().collect();
            pair[0].status = InProgress;
            pair
        })
        .collect()
}

const OPENING: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"plan":{}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
"#;

fn prompt(id: usize) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"session/prompt","params":{{"sessionId":"s","prompt":[{{"type":"text","text":"Go"}}]}}}}"#
    )
}

fn answer(id: usize) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"stopReason":"end_turn"}}}}"#)
}

fn update(update: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{update}}}}}"#
    )
}

fn plan(list: &[Step]) -> String {
    let entries: Vec<_> = list.iter().map(Step::entry).collect();
    update(&format!(r#"{{"sessionUpdate":"plan","entries":[{}]}}"#, entries.join(",")))
}

/// Steps from a word such as "Sweep. Mop> Dust+": pending, in progress, completed.
fn list(words: &str) -> Vec<Step> {
    words
        .split(' ')
        .filter(|word| !word.is_empty())
        .map(|word| {
            let (text, sign) = word.split_at(word.len() - 1);
            let status = match sign {
                "." => Pending,
                ">" => InProgress,
                _ => Completed,
            };
            Step { text: text.to_owned(), status }
        })
        .collect()
}

fn judged(transcript: &str) -> Vec<Diagnostic> {
    crate::effort::check(transcript.as_bytes(), &Settings::default()).0
}

/// In how many turns of a simulated agent each rule speaks: proven, suspected.
fn rates(agent: fn(&mut Random) -> Vec<Vec<Step>>) -> [usize; 2] {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut transcript = OPENING.to_owned();
    let mut ends = Vec::new();
    let mut lines = OPENING.lines().count();
    for turn in 0..TURNS {
        let lists = agent(&mut random);
        let _ = writeln!(transcript, "{}", prompt(turn + 2));
        for list in &lists {
            let _ = writeln!(transcript, "{}", plan(list));
        }
        let _ = writeln!(transcript, "{}", answer(turn + 2));
        lines += lists.len() + 2;
        ends.push(lines);
    }
    let found = judged(&transcript);
    ["plan/partial-update-proven", "plan/partial-update-suspected"].map(|rule| {
        let turn = |found: &Diagnostic| {
            let line = usize::try_from(found.finding.labels[0].span.line).unwrap();
            ends.partition_point(|end| *end < line)
        };
        let mut turns: Vec<_> =
            found.iter().filter(|found| found.rule.id == rule).map(turn).collect();
        turns.dedup();
        turns.len()
    })
}

#[test]
fn agents_that_send_whole_lists_are_left_alone() {
    assert_eq!(rates(full), [0, 0], "full snapshots");
    assert_eq!(rates(reworded), [0, 0], "wording follows status");
    assert_eq!(rates(pruned), [0, 0], "prunes finished steps");
    assert_eq!(rates(growing), [0, 0], "adds steps");
    assert_eq!(rates(planned_anew), [0, 0], "plans anew");
    assert_eq!(rates(dropping), [0, 0], "drops unneeded steps");
    assert_eq!(rates(finishing_early), [0, 0], "finishes early");
}

#[test]
fn agents_whose_lists_look_like_parts_are_at_most_suspected() {
    let [proven, suspected] = rates(reset);
    assert_eq!(proven, 0, "resets");
    assert!(suspected * 100 <= TURNS, "resets: {suspected} of {TURNS}");
    let [proven, suspected] = rates(dropping_and_pruning);
    assert_eq!(proven, 0, "drops and prunes");
    assert!(suspected * 5 <= TURNS, "drops and prunes: {suspected} of {TURNS}");
}

#[test]
fn agents_that_send_changes_are_found_in_every_turn() {
    assert_eq!(rates(changes_only), [TURNS, 0], "sends only changes");
    assert_eq!(rates(one_a_message), [TURNS, 0], "sends one entry per message");
    assert_eq!(rates(each_alone), [0, TURNS], "sends each new step alone");
}

#[test]
fn a_moving_window_cannot_be_told_from_a_list() {
    assert_eq!(rates(window), [0, 0]);
}

/// The rules of the family that speak of a turn with these messages.
fn reported(messages: &[String]) -> Vec<(&'static str, u32)> {
    let transcript = format!("{OPENING}{}\n{}\n", prompt(2), messages.join("\n"));
    judged(&transcript)
        .iter()
        .map(|found| (found.rule.id, found.finding.labels[0].span.line - 5))
        .collect()
}

#[test]
fn white_space_makes_no_new_entry() {
    let lists = [
        vec![Step::new("Sweep the floor"), Step::new("Mop"), Step::new("Dust")],
        vec![Step { text: " Sweep  the\\tfloor\\u00a0".to_owned(), status: InProgress }],
    ];
    let messages = lists.map(|list| plan(&list));
    assert_eq!(reported(&messages), [("plan/partial-update-suspected", 2)]);
}

#[test]
fn an_empty_list_clears_the_plan() {
    let messages = ["Sweep. Mop. Dust.", "", "Sweep> Mop. Dust."].map(|it| plan(&list(it)));
    assert_eq!(reported(&messages), []);
}

#[test]
fn a_proof_silences_the_suspicion_before_it() {
    let lists = ["Sweep. Mop. Dust.", "Sweep>", "Sweep+", "Mop>"].map(|it| plan(&list(it)));
    assert_eq!(reported(&lists), [("plan/partial-update-proven", 2)]);
}

/// What rules about partial updates say of the lists of several turns: each rule, and the line after the opening.
fn reported_over(turns: &[&[&str]]) -> Vec<(&'static str, u32)> {
    let mut messages = Vec::new();
    for (number, lists) in turns.iter().enumerate() {
        if number > 0 {
            messages.extend([answer(number + 1), prompt(number + 2)]);
        }
        messages.extend(lists.iter().map(|it| plan(&list(it))));
    }
    let mut found = reported(&messages);
    found.retain(|(rule, _)| rule.starts_with("plan/partial-update"));
    found
}

/// The lists of the turns after the first, and what is said of all.
type Continuation<'a> = (&'a [&'a [&'a str]], &'a [(&'a str, u32)]);

#[test]
fn a_later_turn_proves_what_an_earlier_one_left_open() {
    const PROVEN: &str = "plan/partial-update-proven";
    const SUSPECTED: &str = "plan/partial-update-suspected";
    let first: &[_] = &["Sweep. Mop. Dust.", "Sweep+"];
    let cases: [Continuation<'_>; 9] = [
        (&[&["Mop+"]], &[(PROVEN, 2)]),
        (&[&["Mop>"], &["Mop+"], &["Dust+"]], &[(PROVEN, 2)]),
        (&[&[], &["Mop>"]], &[(PROVEN, 2)]),
        // Nothing that is missing comes back, or the plan begins anew.
        (&[], &[(SUSPECTED, 2)]),
        (&[&[]], &[(SUSPECTED, 2)]),
        (&[&["Sweep+"]], &[(SUSPECTED, 2)]),
        (&[&["Mop+ Wax."]], &[(SUSPECTED, 2)]),
        (&[&["Sweep. Mop. Dust."], &["Sweep> Mop. Dust."]], &[(SUSPECTED, 2)]),
        // Each of two plans is judged by itself.
        (&[&["Wash. Dry. Iron.", "Wash+"], &["Dry+"]], &[(SUSPECTED, 2), (PROVEN, 6)]),
    ];
    for (next, expected) in cases {
        let turns = [&[first], next].concat();
        assert_eq!(reported_over(&turns), expected, "{turns:?}");
    }
}

#[test]
fn a_patch_is_told_once_and_the_list_after_it_begins_anew() {
    let mut messages = ["Sweep. Mop. Dust.", "", "Sweep>"].map(|it| plan(&list(it)));
    messages[1] =
        update(r#"{"sessionUpdate":"plan","entries":[{"index":0,"status":"completed"}]}"#);
    assert_eq!(reported(&messages), [("plan/partial-update-shape", 2)]);
}

/// What becomes of a plan in each state by each message.
#[test]
fn plans_go_from_state_to_state() {
    let items = r#"{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"Sweep","priority":"medium","status":"pending"}]}}"#;
    let markdown = r#"{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"Sweep"}}"#;
    let removal = r#"{"sessionUpdate":"plan_removed","planId":"p"}"#;
    let unnamed = r#"{"sessionUpdate":"plan","entries":[]}"#;
    let load = r#"{"jsonrpc":"2.0","id":9,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}"#;
    let states = [
        ("unknown", vec![]),
        ("items", vec![update(items)]),
        ("markdown", vec![update(markdown)]),
        ("removed", vec![update(items), update(removal)]),
    ];
    let events = [
        ("items", update(items)),
        ("markdown", update(markdown)),
        ("removal", update(removal)),
        ("unnamed", update(unnamed)),
        ("load", load.to_owned()),
    ];
    let mut table = String::new();
    for (state, before) in &states {
        for (event, message) in &events {
            let messages = [before.as_slice(), std::slice::from_ref(message)].concat();
            let _ = writeln!(table, "{state} × {event} → {}", state_after(&messages));
        }
    }
    assert_eq!(
        table,
        "\
unknown × items → items since 5
unknown × markdown → markdown since 5
unknown × removal → removed at 5
unknown × unnamed → unknown
unknown × load → unknown
items × items → items since 5
items × markdown → markdown since 5
items × removal → removed at 6
items × unnamed → items since 5
items × load → unknown
markdown × items → items since 5
markdown × markdown → markdown since 5
markdown × removal → removed at 6
markdown × unnamed → markdown since 5
markdown × load → unknown
removed × items → items since 7
removed × markdown → markdown since 7
removed × removal → removed at 6
removed × unnamed → removed at 6
removed × load → unknown
"
    );
}

/// The state of plan `p` after these messages.
fn state_after(messages: &[String]) -> String {
    // One more update, of another plan, shows the state before it.
    let probe = update(
        r#"{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"probe","content":""}}"#,
    );
    let transcript = format!("{OPENING}{}\n{probe}\n", messages.join("\n"));
    let state = Arc::new(Mutex::new(String::new()));
    let seen = Arc::clone(&state);
    let mut check = crate::effort::begin(&Settings::default()).with_observer(move |event| {
        let EventKind::Call { plan: Some(_), .. } = event.kind else { return };
        let plans = &event.session().unwrap().plans;
        let plan = plans.named().find(|(id, _)| *id == "p").map(|(_, plan)| &plan.state);
        *seen.lock().unwrap() = match plan {
            None => "unknown".to_owned(),
            Some(PlanState::Removed { at, .. }) => format!("removed at {}", at.span().line),
            Some(PlanState::Shown { since, content, .. }) => {
                let kind = match content {
                    Content::Items(_) => "items",
                    Content::Markdown(_) => "markdown",
                    Content::File(_) | Content::Other(_) => "other",
                };
                format!("{kind} since {}", since.span().line)
            }
        };
    });
    check.feed(transcript.as_bytes());
    check.finish();
    let state = state.lock().unwrap();
    state.clone()
}

#[test]
fn the_timeline_tells_what_changes() {
    let transcript = format!(
        "{OPENING}{}\n{}\n{}\n",
        prompt(2),
        plan(&list("Sweep> Mop. Dust.")),
        plan(&list("Sweep+ Dust. Air."))
    );
    let steps = plans::steps(transcript.as_bytes());
    let PlanStepKind::Shown(view) = &steps[1].kind else { panic!("{:?}", steps[1]) };
    let changes: Vec<_> = view
        .entries
        .iter()
        .map(|entry| {
            let sign = match entry.change {
                EntryChange::Added => '+',
                EntryChange::Changed { .. } => '~',
                EntryChange::Kept => ' ',
            };
            format!("{sign}{}", entry.content)
        })
        .collect();
    assert_eq!(changes, ["~Sweep", " Dust", "+Air"]);
    assert_eq!(view.gone.iter().map(|gone| &*gone.content).collect::<Vec<_>>(), ["Mop"]);
    assert_eq!(view.counts().to_string(), "1 completed, 2 pending");
    assert_eq!((steps[1].line, steps[1].turn, steps[1].plan.as_deref()), (7, 1, None));
}

#[test]
fn the_client_shows_the_last_list_of_each_plan() {
    let named = |id: &str, content: &str| {
        update(&format!(
            r#"{{"sessionUpdate":"plan_update","plan":{{"type":"markdown","planId":"{id}","content":"{content}"}}}}"#
        ))
    };
    let removal = update(r#"{"sessionUpdate":"plan_removed","planId":"a"}"#);
    let messages = [
        named("a", "one"),
        named("b", "two"),
        plan(&list("Sweep.")),
        named("b", "three"),
        removal,
        named("a", "four"),
    ];
    let transcript = format!("{OPENING}{}\n", messages.join("\n"));
    let steps = plans::steps(transcript.as_bytes());
    let shown = |last: u32| {
        let mut shown = ShownPlans::default();
        steps.iter().filter(|step| step.line <= last).for_each(|step| shown.take(step.clone()));
        let name = |step: &plans::PlanStep| step.plan.clone().unwrap_or("unnamed".to_owned());
        let steps = shown.steps().into_iter();
        steps.map(|step| format!("{} {}", name(step), step.line)).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(shown(7), "a 5, b 6, unnamed 7");
    assert_eq!(shown(9), "b 8, unnamed 7");
    assert_eq!(shown(10), "b 8, unnamed 7, a 10");
}

#[test]
fn the_timeline_reads_alike_in_blocks_of_any_size() {
    let mut random = Random(7);
    let mut transcript = OPENING.to_owned();
    for list in full(&mut random) {
        let _ = writeln!(transcript, "{}", plan(&list));
    }
    let whole = format!("{:?}", plans::steps(transcript.as_bytes()));
    for size in [1, 7, 64] {
        let (mut check, steps) = plans::watched(&Settings::default());
        for block in transcript.as_bytes().chunks(size) {
            check.feed(block);
        }
        check.finish();
        let steps: Vec<_> = steps.into_iter().collect();
        assert_eq!(format!("{steps:?}"), whole, "blocks of {size}");
    }
}

/// An entry, and what tells it from others: a number in `_meta` or its text, white space folded.
#[derive(Clone, Debug)]
struct Written {
    name: String,
    content: String,
    raw: String,
    id: Option<usize>,
    status: Status,
}

impl Written {
    const TEXTS: [&str; 10] = [
        "Run tests",
        "run tests",
        "Run  tests\u{3000}twice",
        "Gr\u{f6}\u{df}e \u{2014} messen",
        "\u{8a08}\u{753b}\u{a0}\u{4e00}",
        "Say \"hi\" \\ leave",
        "",
        " ",
        "A",
        "Refactor the parser, then the printer, and tell the user what was found on the way there",
    ];

    fn new(random: &mut Random, id: Option<usize>) -> Self {
        let text = Self::TEXTS[random.below(Self::TEXTS.len())].to_owned();
        let number = if random.chance(50) { random.below(9).to_string() } else { String::new() };
        let mut new = Self {
            name: String::new(),
            content: text + &number,
            raw: String::new(),
            id,
            status: Pending,
        };
        new.spell(random);
        new
    }

    /// The same entry with other white space and other escapes.
    fn spell(&mut self, random: &mut Random) {
        const GAPS: [&str; 6] = [" ", " ", "  ", "\n\n", "\u{a0}", "\u{2003}\t"];
        let mut content = String::new();
        for (index, word) in self.content.split_whitespace().enumerate() {
            if index > 0 || random.chance(5) {
                let kinds = if random.chance(60) { 1 } else { GAPS.len() };
                content.push_str(GAPS[random.below(kinds)]);
            }
            content.push_str(word);
        }
        if random.chance(5) {
            content.push('\u{b}');
        }
        let is_escaped = random.chance(30);
        let escaped = |random: &mut Random, char: char| match char {
            '\0'..='\u{1f}' | '"' | '\\' => format!("\\u{:04x}", u32::from(char)),
            _ if is_escaped && random.chance(30) => format!("\\u{:04X}", u32::from(char)),
            _ => char.to_string(),
        };
        self.raw = content.chars().map(|char| escaped(random, char)).collect();
        self.content = content;
        let folded = self.content.split_whitespace().collect::<Vec<_>>().join(" ");
        self.name = self.id.map_or(folded, |id| id.to_string());
    }

    fn json(&self) -> String {
        let mut entry = Step { text: self.raw.clone(), status: self.status }.entry();
        if let Some(id) = self.id {
            entry.truncate(entry.len() - 1);
            let _ = write!(entry, r#","_meta":{{"stepId":{id}}}}}"#);
        }
        entry
    }
}

/// The next list of an agent that does anything to the last one.
fn follow(random: &mut Random, last: &[Written], ids: &mut usize, has_ids: bool) -> Vec<Written> {
    let mut next = last.to_vec();
    for _ in 0..random.below(4) {
        let at = random.below(next.len().max(1));
        let fresh = |random: &mut Random, ids: &mut usize| {
            *ids += 1;
            Written::new(random, has_ids.then_some(*ids))
        };
        match random.below(9) {
            0 => next.insert(at, fresh(random, ids)),
            1 if next.len() > usize::from(has_ids) => drop(next.remove(at)),
            2 if !next.is_empty() => next.swap(0, at),
            3 => next.reverse(),
            4 if !has_ids && !next.is_empty() => next.push(next[at].clone()),
            5 => next = (0..=random.below(6)).map(|_| fresh(random, ids)).collect(),
            6 if !next.is_empty() => next[at].spell(random),
            _ if !next.is_empty() => {
                next[at].status = [Pending, InProgress, Completed][random.below(3)];
            }
            _ => {}
        }
    }
    if has_ids && next.is_empty() {
        *ids += 1;
        next.push(Written::new(random, Some(*ids)));
    }
    next
}

/// What becomes of each entry, and what is gone, by looking at every pair.
fn compared(last: &[Written], next: &[Written]) -> String {
    let mut is_taken = vec![false; last.len()];
    let mut told = String::new();
    for (position, entry) in next.iter().enumerate() {
        let is_it = |at: &usize| last[*at].name == entry.name && !is_taken[*at];
        let here = Some(position).filter(|at| *at < last.len() && is_it(at));
        let place = here.or_else(|| (0..last.len()).find(is_it));
        let change = match place {
            None => "added",
            Some(place) if last[place].status == entry.status => "kept",
            Some(_) => "changed",
        };
        if let Some(place) = place {
            is_taken[place] = true;
        }
        let _ = writeln!(told, "{:?} {change} {place:?}", entry.content);
    }
    let gone = last.iter().filter(|old| next.iter().all(|entry| entry.name != old.name));
    gone.for_each(|old| told.push_str(&format!("{:?} gone\n", old.content)));
    told
}

fn told(view: &PlanView) -> String {
    let mut told = String::new();
    for entry in &view.entries {
        let change = match entry.change {
            EntryChange::Added => "added",
            EntryChange::Changed { .. } => "changed",
            EntryChange::Kept => "kept",
        };
        let _ = writeln!(told, "{:?} {change} {:?}", entry.content, entry.continues);
    }
    view.gone.iter().for_each(|gone| told.push_str(&format!("{:?} gone\n", gone.content)));
    told
}

#[test]
fn entries_are_told_as_if_each_was_compared_with_each() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut ids = 0;
    for round in 0..150 {
        let has_ids = round % 3 == 0;
        let mut open = 2;
        let (mut lists, mut transcript) =
            (vec![Vec::new()], format!("{OPENING}{}\n", prompt(open)));
        for number in 0..20 {
            let next = follow(&mut random, &lists[number], &mut ids, has_ids);
            let entries: Vec<_> = next.iter().map(Written::json).collect();
            let entries = entries.join(",");
            let entries = format!(r#"{{"sessionUpdate":"plan","entries":[{entries}]}}"#);
            let _ = writeln!(transcript, "{}", update(&entries));
            if random.chance(10) {
                let _ = writeln!(transcript, "{}\n{}", answer(open), prompt(open + 1));
                open += 1;
            }
            lists.push(next);
        }
        let steps = plans::steps(transcript.as_bytes());
        assert_eq!(steps.len(), 20);
        for (step, pair) in steps.iter().zip(lists.windows(2)) {
            let PlanStepKind::Shown(view) = &step.kind else { panic!("{step:?}") };
            assert_eq!(
                told(view),
                compared(&pair[0], &pair[1]),
                "line {}\n{transcript}",
                step.line
            );
        }
    }
}
