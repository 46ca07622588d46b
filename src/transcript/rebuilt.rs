//! Builds the JSON text of a message from parts of a file, for writers that rename members, leave some
//! out, or do not write JSON, and keeps where each part stands.

use std::ops::Range;

use crate::{
    json::{Node, Text},
    source::narrow,
};

/// The JSON text of a message that was made from parts of the file's text, with the place of each
/// part, so that findings can point at the file.
#[derive(Clone, Debug, Default)]
pub struct Rebuilt {
    pub text: String,
    /// Pairs of an offset in `text` and the offset in the file's text where it comes from, as in
    /// [`crate::source::Layout::Mapped`].
    pub steps: Vec<(u32, u32)>,
    /// Offsets in `text` of values that the recording does not have and that were guessed.
    pub unsure: Vec<u32>,
}

impl Rebuilt {
    /// Appends a part of the file's text as it is. `range` is the part's place, in bytes.
    pub fn copy(&mut self, source: &str, range: Range<usize>) {
        let part = source.get(range.clone()).unwrap_or_default();
        self.write(part, range);
    }

    /// Appends text that stands for the part of the file's text at `place`, or that is missing
    /// there.
    pub fn write(&mut self, text: &str, place: Range<usize>) {
        self.step(place.start);
        self.text.push_str(text);
        self.step(place.end);
    }

    /// Appends a value that the recording does not have and that was guessed; rules do not judge
    /// it. `place` is where it is missing.
    pub fn guess(&mut self, text: &str, place: Range<usize>) {
        self.unsure.push(narrow(self.text.len()));
        self.write(text, place);
    }

    /// Appends `text` as a JSON string. `place` is the part of the file that the string stands for.
    pub fn string(&mut self, text: &str, place: Range<usize>) {
        self.write(&quoted(text), place);
    }

    fn step(&mut self, place: usize) {
        let step = (narrow(self.text.len()), narrow(place));
        if self.steps.last() != Some(&step) {
            self.steps.push(step);
        }
    }

    /// Makes the JSON text of a message from those members of an object for which `name` returns a
    /// new name. Adds `jsonrpc`, which such recorders leave out.
    pub fn message(object: Node<'_>, name: impl Fn(&str) -> Option<&'static str>) -> Self {
        let mut rebuilt = Self::default();
        rebuilt.open(object);
        for (own, value) in object.members() {
            let Some(name) = own.text().map(Text::as_cow).and_then(|own| name(&own)) else {
                continue;
            };
            rebuilt.member(name, own, value);
        }
        rebuilt.close(object);
        rebuilt
    }

    /// Makes the JSON text of a `session/update` notification, for formats that record only its
    /// params.
    pub fn update(params: Node<'_>) -> Self {
        Self::call("session/update", None, params)
    }

    /// Makes the JSON text of a request (with `id`) or notification, for formats that record only
    /// its params.
    pub fn call(method: &str, id: Option<usize>, params: Node<'_>) -> Self {
        let mut head = format!("{{\"jsonrpc\":\"2.0\",\"method\":{},", quoted(method));
        if let Some(id) = id {
            head += &format!("\"id\":{id},");
        }
        Self::around(&(head + "\"params\":"), params)
    }

    /// Makes a response of which the writer keeps only the value. `member` is `result` or `error`.
    pub fn response(id: usize, member: &str, value: Node<'_>) -> Self {
        Self::around(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{member}\":"), value)
    }

    fn around(head: &str, value: Node<'_>) -> Self {
        let Range { start, end } = value.range();
        let mut rebuilt = Self::default();
        rebuilt.write(head, start..start);
        rebuilt.write(value.raw(), start..end);
        rebuilt.write("}", end..end);
        rebuilt
    }

    /// Writes the beginning of a message, with `jsonrpc`, in place of an object's opening brace.
    pub fn open(&mut self, object: Node<'_>) {
        let start = object.range().start;
        self.write("{\"jsonrpc\":\"2.0\"", start..start + 1);
    }

    /// Appends a member. `own` is the member's name in the file, so that places in the message lead
    /// there.
    pub fn member(&mut self, name: &str, own: Node<'_>, value: Node<'_>) {
        let place = own.range();
        self.write(",", place.start..place.start);
        if own.is(name) {
            self.write(own.raw(), place);
        } else {
            self.string(name, place);
        }
        self.write(":", value.range().start..value.range().start);
        self.write(value.raw(), value.range());
    }

    /// Writes the end of a message in place of an object's closing brace.
    pub fn close(&mut self, object: Node<'_>) {
        let end = object.range().end;
        self.write("}", end.saturating_sub(1)..end);
    }
}

fn quoted(text: &str) -> String {
    // Strings are always written.
    serde_json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        json::{Doc, Tape},
        source::{Layout, Origin},
    };

    #[test]
    fn values_point_at_their_bytes() {
        let line =
            r#"{"type":"response","id":"7","is_error":false,"payload":{"stopReason":"end"},"x":1}"#;
        let (mut outer, mut inner) = (Tape::default(), Tape::default());
        outer.parse(line).unwrap();
        let doc = Doc::new(line, &outer, Origin::START);
        let rebuilt = Rebuilt::message(doc.root(), |name| match name {
            "id" => Some("id"),
            "payload" => Some("result"),
            _ => None,
        });
        assert_eq!(rebuilt.text, r#"{"jsonrpc":"2.0","id":"7","result":{"stopReason":"end"}}"#);
        inner.parse(&rebuilt.text).unwrap();
        let layout = Layout::Mapped { steps: &rebuilt.steps, starts: &[] };
        let message = Doc::new(&rebuilt.text, &inner, Origin { layout, ..Origin::START });
        let root = message.root();
        let shown = |node: Node<'_>| {
            let span = node.span();
            let start = usize::try_from(span.start).unwrap();
            line[start..start + span.len as usize].to_owned()
        };
        assert_eq!(shown(root), line);
        assert_eq!(shown(root.get("id").unwrap()), "\"7\"");
        assert_eq!(shown(root.get("result").unwrap()), r#"{"stopReason":"end"}"#);
        assert_eq!(shown(root.path(&["result", "stopReason"]).unwrap()), "\"end\"");
        assert_eq!(shown(root.name_of("result").unwrap()), "\"payload\"");
    }
}
