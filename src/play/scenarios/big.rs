use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "big",
    summary: "unusual characters, 2,000 pieces, and a message of 10 MB",
    look: "A long text. The client stays usable.",
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    script.begin("unusual characters");
    script.say(
        "line\u{2028}separator, null\u{0}, bidi \u{202e}abc\u{202c}, \u{1f9d1}\u{200d}\u{1f680}\n",
    );
    script.alive()?;
    script.begin("2,000 pieces of a message");
    for number in 0..2_000 {
        script.say(&format!("{number} "));
    }
    script.alive()?;
    script.begin("a message of 10 MB");
    script.say(&"ten megabytes ".repeat(10_000_000 / 14));
    script.alive()?;
    Ok(State::Done)
}
