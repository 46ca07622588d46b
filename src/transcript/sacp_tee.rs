//! What sacp-tee writes when it understands the messages.

use crate::{
    json::Node,
    transcript::{
        Beginning, Body, Fidelity, Format, Likelihood, Read, Rebuilt, Record, shape, time,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "sacp-tee",
    about: "what sacp-tee writes: messages without `jsonrpc`, with ids and errors of its own",
    obtain: "put `sacp-tee --log-file FILE` as a proxy before the agent",
    limits: &["ids and errors are the recorder's, and it leaves `jsonrpc` out; rules about them \
               cannot be assessed"],
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
    let is_notification = message.get("method").is_some() && message.get("id").is_none();
    // All notifications are said to go downstream.
    let label = line.get("direction").filter(|_| !is_notification).and_then(shape::label);
    Record { body: Body::Rebuilt(rebuilt(message)), label, at: time::of(line), lane: None }
}

fn rebuilt(message: Node<'_>) -> Rebuilt {
    let error = message.get("result").and_then(|result| {
        let error = result.get("error").filter(|error| error.is_string())?;
        (result.len() == 1).then_some((result, error))
    });
    let mut rebuilt = Rebuilt::default();
    rebuilt.open(message);
    for (name, value) in message.members().filter(|(name, _)| !name.is("jsonrpc")) {
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
