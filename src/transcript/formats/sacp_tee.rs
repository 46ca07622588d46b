//! Reads `sacp-tee` files: what `sacp-tee --json` writes. The messages are without `jsonrpc`, and
//! ids and errors have a form of their own.
//!
//! ```text
//! {"timestamp":"2026-06-01T08:00:00.500Z","direction":"downstream","message":{"id":0,"method":"initialize"}}
//! ```

use crate::{
    json::Node,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::{APPENDED, Limit, Loss, NO_ENVELOPE, OTHER_IDS},
        rebuilt::Rebuilt,
        record::{Body, Record},
        time,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "sacp-tee",
    about: "output of `sacp-tee --json`: messages without `jsonrpc`, with changed ids and errors",
    obtain: "run `sacp-tee --json --log-file FILE` as a proxy in a conductor's chain",
    limits: &[
        APPENDED,
        NO_ENVELOPE,
        OTHER_IDS,
        Limit::new("sacp-tee keeps only the text of an error", Loss::Errors),
    ],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| {
        let words = ["downstream", "upstream"];
        line.get("message").is_some_and(Node::is_object)
            && line.get("direction").is_some_and(|word| words.iter().any(|own| word.is(own)))
    })
}

fn read(line: Node<'_>) -> Record<'_> {
    let Some(message) = line.get("message").filter(|message| message.is_object()) else {
        return Record::NOTHING;
    };
    // Requests and notifications of both sides are said to go downstream, answers upstream.
    Record { at: time::of(line), ..Record::of(Body::Rebuilt(rebuilt(message))) }
}

fn rebuilt(message: Node<'_>) -> Rebuilt {
    let error = message.get("result").and_then(|result| {
        let error = result.get("error").filter(|error| error.is_string())?;
        (result.len() == 1).then_some((result, error))
    });
    let mut rebuilt = Rebuilt::default();
    rebuilt.open(message);
    // What had no params has `null` there.
    let is_kept = |name: Node<'_>, value: Node<'_>| {
        !(name.is("jsonrpc") || name.is("params") && value.is_null())
    };
    for (name, value) in message.members().filter(|(name, value)| is_kept(*name, *value)) {
        let Some((result, text)) = error.filter(|_| name.is("result")) else {
            let own = name.text().map(crate::json::Text::as_cow).unwrap_or_default();
            rebuilt.member(&own, name, value);
            continue;
        };
        let (start, end) = (name.range().start, result.range().end);
        rebuilt.write(",\"error\":{\"code\":-32603,\"message\":", start..text.range().start);
        rebuilt.write(text.raw(), text.range());
        rebuilt.write("}", text.range().end..end);
    }
    rebuilt.close(message);
    rebuilt
}
