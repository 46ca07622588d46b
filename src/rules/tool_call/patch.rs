//! Parses the headers of a git patch: which files it changes, and how.
//!
//! In: the text of a patch. Out: paths with their byte ranges. The lines of hunks are skipped by
//! their counts, since a patch may change a patch.

use std::{borrow::Cow, ops::Range};

use crate::rules::paths;

/// The headers of a git patch, which say what happens to which files. The changed lines are
/// skipped.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Patch<'a> {
    /// The paths in all headers of the patch, in the order of the text.
    pub(super) names: Vec<Name<'a>>,
    /// The changes that the patch makes, one for each file.
    pub(super) sections: Vec<Section<'a>>,
    /// Place of the first line of a commit message, e-mail header or signature, in bytes; `None`
    /// where the patch has none.
    pub(super) envelope: Option<Range<usize>>,
}

/// A path in a header of a patch, with its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name<'a> {
    /// Byte range of the path in the patch's text, with its quotes.
    pub(super) at: Range<usize>,
    /// The path without the quotes and escapes of git.
    pub(super) path: Cow<'a, str>,
}

impl Name<'_> {
    /// Whether the path is `/dev/null`, which stands for a missing file.
    fn is_nothing(&self) -> bool {
        self.path == "/dev/null"
    }

    /// Whether the path is absolute, as the protocol requires.
    pub(super) fn is_absolute(&self) -> bool {
        paths::is_absolute(&self.path)
    }
}

/// The part of a patch that changes one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Section<'a> {
    /// Path of the file before the change; `None` for an added file.
    pub(super) old: Option<Name<'a>>,
    /// Path of the file after the change; `None` for a deleted file.
    pub(super) new: Option<Name<'a>>,
    pub(super) change: PatchChange,
}

/// What a patch does to one file, such as creating it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PatchChange {
    #[default]
    Modified,
    Added,
    Deleted,
    Renamed,
    Copied,
}

/// Iterator over the lines of a text, without line ends, each with its offset in bytes.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<(usize, &'a str)> {
        let at = self.at;
        let rest = self.text.get(at..).filter(|rest| !rest.is_empty())?;
        let line = rest.split('\n').next().unwrap_or(rest);
        self.at += line.len() + 1;
        Some((at, line.strip_suffix('\r').unwrap_or(line)))
    }
}

/// How many lines of the current hunk (part of a patch) have not come yet.
#[derive(Clone, Copy, Default)]
struct Left {
    /// Lines of the file before the change that have not come yet.
    old: usize,
    /// Lines of the file after the change that have not come yet.
    new: usize,
}

impl<'a> Patch<'a> {
    /// Reads the headers of a patch. Skips lines that are not headers.
    pub(super) fn read(text: &'a str) -> Self {
        let mut patch = Self::default();
        let mut left = Left::default();
        let mut is_fresh = false;
        let mut lines = Lines { text, at: 0 }.peekable();
        while let Some((at, line)) = lines.next() {
            if left.take(line) {
                continue;
            }
            let next = lines.peek().map_or("", |(_, line)| *line);
            if let Some(hunk) = Left::of(line) {
                left = hunk;
                is_fresh = false;
            } else if let Some(rest) = line.strip_prefix("diff --git ") {
                patch.begin(at + "diff --git ".len(), rest);
                is_fresh = true;
            } else if line.starts_with("--- ") && next.starts_with("+++ ") {
                if !is_fresh {
                    patch.sections.push(Section::default());
                }
                patch.side(at, line, Side::Old);
            } else if line.starts_with("+++ ") {
                patch.side(at, line, Side::New);
                is_fresh = false;
            } else if !patch.extended(at, line) {
                patch.envelop(at, line, next);
            }
        }
        for section in &mut patch.sections {
            section.settle();
        }
        patch
    }

    /// Reads the paths after `diff --git`, which begin the change of a file.
    fn begin(&mut self, at: usize, rest: &'a str) {
        let (old, new) = match pair(rest) {
            Some((old, new)) => (name(at, rest, old), name(at, rest, new)),
            None => (name(at, rest, 0..rest.len()), None),
        };
        self.names.extend([old.clone(), new.clone()].into_iter().flatten());
        let known = new.is_some();
        self.sections.push(Section {
            old: old.filter(|_| known),
            new,
            change: PatchChange::Modified,
        });
    }

    /// Reads a line `--- path` or `+++ path`. A tab and a time may follow the path.
    fn side(&mut self, at: usize, line: &'a str, side: Side) {
        let rest = line.get(4..).unwrap_or_default();
        let end = rest.find('\t').unwrap_or(rest.len());
        let Some(name) = name(at + 4, rest, 0..end) else { return };
        let Some(section) = self.sections.last_mut() else { return };
        if name.is_nothing() {
            section.change = match side {
                Side::Old => PatchChange::Added,
                Side::New => PatchChange::Deleted,
            };
            return;
        }
        *side.of(section) = Some(name.clone());
        self.names.push(name);
    }

    /// Reads another header line of a file, such as `rename from`. Returns `false` for lines that
    /// are not headers.
    fn extended(&mut self, at: usize, line: &'a str) -> bool {
        const NAMING: [(&str, Side, PatchChange); 4] = [
            ("rename from ", Side::Old, PatchChange::Renamed),
            ("rename to ", Side::New, PatchChange::Renamed),
            ("copy from ", Side::Old, PatchChange::Copied),
            ("copy to ", Side::New, PatchChange::Copied),
        ];
        let Some(section) = self.sections.last_mut() else { return false };
        for (prefix, side, change) in NAMING {
            let Some(rest) = line.strip_prefix(prefix) else { continue };
            section.change = change;
            if let Some(name) = name(at + prefix.len(), rest, 0..rest.len()) {
                *side.of(section) = Some(name.clone());
                self.names.push(name);
            }
            return true;
        }
        if line.starts_with("new file mode ") {
            section.change = PatchChange::Added;
        } else if line.starts_with("deleted file mode ") {
            section.change = PatchChange::Deleted;
        } else {
            return false;
        }
        true
    }

    /// Notes a line outside hunks that belongs to a commit or an e-mail around the patch.
    fn envelop(&mut self, at: usize, line: &str, next: &str) {
        let is_hash = |text: &str| {
            let hash = text.split(' ').next().unwrap_or_default();
            hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let hashed = |word: &str| line.strip_prefix(word).is_some_and(is_hash);
        let is_envelope = if self.sections.is_empty() {
            hashed("From ")
                || hashed("commit ")
                || ["From: ", "Subject: ", "Author: ", "Message-ID: ", "Date: "]
                    .iter()
                    .any(|header| line.starts_with(header))
        } else {
            let is_version = next.starts_with(|first: char| first.is_ascii_digit());
            matches!(line, "-- " | "--") && is_version && next.contains('.')
        };
        if is_envelope && self.envelope.is_none() {
            self.envelope = Some(at..at + line.len());
        }
    }
}

/// Whether a header is about the file before or after the change.
#[derive(Clone, Copy)]
enum Side {
    Old,
    New,
}

impl Side {
    /// The path of the file before or after the change, to set or to read it.
    fn of<'s, 'a>(self, section: &'s mut Section<'a>) -> &'s mut Option<Name<'a>> {
        match self {
            Self::Old => &mut section.old,
            Self::New => &mut section.new,
        }
    }
}

impl Section<'_> {
    /// Removes the path that an added or deleted file does not have.
    fn settle(&mut self) {
        match self.change {
            PatchChange::Added => self.old = None,
            PatchChange::Deleted => self.new = None,
            PatchChange::Modified | PatchChange::Renamed | PatchChange::Copied => {}
        }
    }
}

impl Left {
    /// Reads the counts of a line such as `@@ -1,2 +1,3 @@`; `None` for other lines.
    fn of(line: &str) -> Option<Self> {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let count = |range: &str| match range.split_once(',') {
            Some((_, count)) => count.parse().ok(),
            None => Some(1),
        };
        Some(Self { old: count(old)?, new: count(new)? })
    }

    /// Counts a line of the hunk. Returns `false` when the line does not belong to the hunk.
    fn take(&mut self, line: &str) -> bool {
        if self.old == 0 && self.new == 0 {
            return line.starts_with('\\');
        }
        let (old, new) = match line.bytes().next() {
            Some(b' ') | None => (1, 1),
            Some(b'-') => (1, 0),
            Some(b'+') => (0, 1),
            Some(b'\\') => (0, 0),
            // The counts were wrong.
            Some(_) => {
                *self = Self::default();
                return false;
            }
        };
        self.old = self.old.saturating_sub(old);
        self.new = self.new.saturating_sub(new);
        true
    }
}

/// The path in a range of a header line that begins at offset `at` of the patch; `None` when the
/// range is empty.
fn name(at: usize, text: &str, range: Range<usize>) -> Option<Name<'_>> {
    let written = text.get(range.clone()).filter(|written| !written.is_empty())?;
    let path = match written.strip_prefix('"').and_then(|quoted| quoted.strip_suffix('"')) {
        Some(quoted) => Cow::Owned(unquoted(quoted)),
        None => Cow::Borrowed(written),
    };
    Some(Name { at: at + range.start..at + range.end, path })
}

/// A path without the quotes and C escapes with which git writes unusual names.
fn unquoted(quoted: &str) -> String {
    let mut bytes = Vec::with_capacity(quoted.len());
    let mut rest = quoted.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(high @ b'0'..=b'3') => {
                let mut octal = u32::from(high - b'0');
                for digit in rest.by_ref().take(2) {
                    octal = octal * 8 + u32::from(digit.wrapping_sub(b'0'));
                }
                bytes.extend(u8::try_from(octal));
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Ranges of the two paths after `diff --git`, which a space separates. `None` when several spaces
/// may be the separator.
fn pair(rest: &str) -> Option<(Range<usize>, Range<usize>)> {
    let len = rest.len();
    if rest.starts_with('"') {
        let end = closing_quote(rest)?;
        return Some((0..end, end + 1..len)).filter(|_| rest.get(end..end + 1) == Some(" "));
    }
    if let Some(quote) = rest.find(" \"") {
        return Some((0..quote, quote + 1..len));
    }
    let halves = (rest.get(..len / 2)?, rest.get(len / 2 + 1..)?);
    let is_same = halves.0 == halves.1
        || halves.0.strip_prefix("a/").is_some_and(|old| halves.1.strip_prefix("b/") == Some(old));
    if len % 2 == 1 && is_same {
        return Some((0..len / 2, len / 2 + 1..len));
    }
    let mut spaces = rest.match_indices(' ').map(|(space, _)| space).filter(|space| {
        let second = rest.get(space + 1..).unwrap_or_default();
        paths::is_absolute(second) || second.starts_with("b/")
    });
    let (first, another) = (spaces.next(), spaces.next());
    first.filter(|_| another.is_none()).map(|space| (0..space, space + 1..len))
}

/// Offset after the quote that closes the one at the start of a text; `None` without one.
fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths<'a>(patch: &'a Patch<'_>) -> Vec<(Option<&'a str>, Option<&'a str>, PatchChange)> {
        let path = |name: &'a Option<Name<'_>>| name.as_ref().map(|name| &*name.path);
        let of =
            |section: &'a Section<'_>| (path(&section.old), path(&section.new), section.change);
        patch.sections.iter().map(of).collect()
    }

    #[test]
    fn headers_name_files() {
        let patch = Patch::read(
            "diff --git /w/a b.rs /w/a b.rs\n--- /w/a b.rs\t2026\n+++ /w/a b.rs\n@@ -1 +1 @@\n-x\n+y\n\
             diff --git /w/new /w/new\nnew file mode 100644\n--- /dev/null\n+++ /w/new\n@@ -0,0 +1 @@\n+y\n\
             diff --git /w/old /w/moved\nsimilarity index 100%\nrename from /w/old\nrename to /w/moved\n\
             diff --git \"/w/\\303\\251\" \"/w/\\303\\251\"\ndeleted file mode 100644\n",
        );
        assert_eq!(
            paths(&patch),
            [
                (Some("/w/a b.rs"), Some("/w/a b.rs"), PatchChange::Modified),
                (None, Some("/w/new"), PatchChange::Added),
                (Some("/w/old"), Some("/w/moved"), PatchChange::Renamed),
                (Some("/w/é"), None, PatchChange::Deleted),
            ]
        );
        assert_eq!(patch.envelope, None);
        assert!(patch.names.iter().all(Name::is_absolute));
    }

    #[test]
    fn hunks_are_skipped() {
        let text = "diff --git /w/p /w/p\n--- /w/p\n+++ /w/p\n@@ -1,3 +1,3 @@\n \n--- a/x\n+++ b/x\n \n\
                    \\ No newline at end of file\n@@ -9 +9 @@\n-From 0123456 x\n+Subject: y\n";
        let patch = Patch::read(text);
        assert_eq!(paths(&patch), [(Some("/w/p"), Some("/w/p"), PatchChange::Modified)]);
        assert!(patch.names.iter().all(Name::is_absolute));
        assert_eq!(patch.envelope, None);
    }

    #[test]
    fn envelopes_are_seen() {
        let mail = "From 0123456789 Mon Sep 17\nSubject: x\n\n---\n a | 2 +-\n\ndiff --git /w /w\n";
        assert_eq!(Patch::read(mail).envelope, Some(0..26));
        let signed = "--- /w\n+++ /w\n@@ -1 +1 @@\n-x\n+y\n-- \n2.43.0\n";
        assert_eq!(Patch::read(signed).envelope, Some(32..35));
    }

    #[test]
    fn pairs_are_told_apart() {
        let split = |rest: &'static str| pair(rest).map(|(a, b)| (&rest[a], &rest[b]));
        assert_eq!(split("a/x y b/x y"), Some(("a/x y", "b/x y")));
        assert_eq!(split("/w/x /w/y"), Some(("/w/x", "/w/y")));
        assert_eq!(split(r#""/w/\"x" /y"#), Some((r#""/w/\"x""#, "/y")));
        assert_eq!(split("/w/x /y /z"), None);
    }
}
