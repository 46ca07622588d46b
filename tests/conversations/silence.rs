//! Nothing is said about conversations that keep to the protocol.

use acpcheck::{
    check::{Settings, Tail},
    diagnostic::Diagnostic,
    protocol::Surface,
    rule::Severity,
};
use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{Config, RngSeed, TestRunner},
};

use super::world::{Conversation, Crossings, Recipe, World};
use crate::effort;

pub(crate) fn recipes(steps: usize) -> impl Strategy<Value = Recipe> {
    let opening = vec(any::<u16>(), 64);
    let step = vec(any::<u16>(), 20);
    (opening, vec(step, 0..steps)).prop_map(|(opening, steps)| Recipe { opening, steps })
}

fn tell(found: &[Diagnostic]) -> String {
    let line = |found: &Diagnostic| {
        let line = found.finding.labels[0].span.line;
        format!("  {line}: {}[{}] {}\n", found.severity, found.rule.id, found.finding.message)
    };
    found.iter().map(line).collect()
}

pub(crate) fn judge(text: &str, surface: Surface, tail: Tail) -> Vec<Diagnostic> {
    let settings = Settings { surface: Some(surface), tail, ..Settings::default() };
    effort::check(text.as_bytes(), &settings).0
}

fn silence(conversation: &Conversation) -> Result<(), TestCaseError> {
    for (name, text) in [("enveloped", conversation.enveloped()), ("bare", conversation.bare())] {
        let mut found = judge(&text, conversation.surface, Tail::Auto);
        // The agents of the test run commands of other work while a tool call that was refused is open.
        found.retain(|found| {
            found.rule.id != "permission/effect-after-refusal" || found.severity != Severity::Info
        });
        if !found.is_empty() {
            let text = conversation.enveloped();
            return Err(TestCaseError::fail(format!("{name}:\n{text}{}", tell(&found))));
        }
    }
    Ok(())
}

fn on(surface: Surface) {
    let mut config =
        Config { max_shrink_iters: 4000, cases: effort::cases(50), ..Config::default() };
    // The same conversations every time, unless `PROPTEST_RNG_SEED` asks for others.
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(1);
    }
    let mut runner = TestRunner::new(config);
    runner
        .run(&recipes(100), |recipe| silence(&World::play(surface, Crossings::Clear, &recipe)))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn v1() {
    on(Surface::V1);
}

#[test]
fn v1_unstable() {
    on(Surface::V1Unstable);
}

#[test]
fn v2() {
    on(Surface::V2);
}

#[test]
fn v2_unstable() {
    on(Surface::V2Unstable);
}
