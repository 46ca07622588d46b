//! A message after another that differs from it in nothing but its text.
//!
//! Half of all messages are pieces of what the agent says, one after the other. Where no rule had
//! anything to say about a piece, none has about the next: the same rules hear of it in the same
//! state, and none of them looks at the text. So it is not read again, only counted.

use std::ops::Range;

use crate::json;

/// The frame around a text that changes.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// The line up to the text, quotation mark included; empty when there is no run.
    head: String,
    /// The line from the closing quotation mark on.
    tail: String,
    /// How many bytes of the head and the tail are not of the message.
    around: (usize, usize),
}

impl Run {
    /// A run begins with this line, of which `message` is the message and `text` the text in it.
    pub(super) fn begin(&mut self, line: &str, message: Range<usize>, text: Range<usize>) {
        self.end();
        if let Some((head, rest)) = line.split_at_checked(text.start + 1)
            && let Some(tail) = rest.get(text.len() - 2..)
        {
            self.head.push_str(head);
            self.tail.push_str(tail);
            self.around = (message.start, line.len() - message.end);
        }
    }

    pub(super) fn end(&mut self) {
        self.head.clear();
        self.tail.clear();
    }

    /// Where the message stands in a line, if the line goes on with the run.
    pub(super) fn goes_on(&self, line: &str) -> Option<Range<usize>> {
        let bytes = line.as_bytes();
        let is_framed = !self.head.is_empty()
            && bytes.len() >= self.head.len() + self.tail.len()
            && bytes.starts_with(self.head.as_bytes())
            && bytes.ends_with(self.tail.as_bytes());
        if !is_framed {
            return None;
        }
        let end = json::string_end(bytes, self.head.len() - 1)?;
        let (before, behind) = self.around;
        (end == bytes.len() + 1 - self.tail.len()).then(|| before..bytes.len() - behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_may_change() {
        let line = r#" {"update":{"text":"one","id":"a"}} "#;
        let text = line.find(r#""one""#).expect("is there");
        let mut run = Run::default();
        assert_eq!(run.goes_on(line), None);
        run.begin(line, 1..line.len() - 1, text..text + 5);
        assert_eq!(run.goes_on(line), Some(1..line.len() - 1));
        let more = r#" {"update":{"text":"t\"w\u00e9","id":"a"}} "#;
        assert_eq!(run.goes_on(more), Some(1..more.len() - 1));
        for other in [
            r#" {"update":{"text":"two","id":"b"}} "#,
            r#" {"update":{"text":"two","id":"b","id":"a"}} "#,
            r#" {"update":{"text":"two"},"id":"a"}} "#,
            r#" {"update":{"text":"t\wo","id":"a"}} "#,
            r#" {"update":{"text":"\ud800","id":"a"}} "#,
            r#" {"update":{"text":"","id":"a"}}"#,
            r#" {"update":{"text":","id":"a"}} "#,
            "",
        ] {
            assert_eq!(run.goes_on(other), None, "{other}");
        }
        run.end();
        assert_eq!(run.goes_on(line), None);
    }
}
