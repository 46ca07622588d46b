//! Names of what there is, for the help of a finding about what there is not.

use crate::rules::excerpt;

/// Lists the first six names for a message, in backticks with commas, and an ellipsis if there are
/// more. Shortens long names. Empty without names. The cost does not depend on their number.
pub(super) fn first<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> String {
    const MOST: usize = 6;
    /// Most characters of a name that messages show in full; a longer name is cut.
    const LONGEST: usize = 60;
    let mut names = names.into_iter();
    let quoted = |name: N| format!("`{}`", excerpt::beginning(name.as_ref(), LONGEST));
    let mut first: Vec<String> = names.by_ref().take(MOST).map(quoted).collect();
    if names.next().is_some() {
        first.push("…".to_owned());
    }
    first.join(", ")
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn only_the_first_names_are_read_and_written() {
        let read = Cell::new(0);
        let names = (0..1_000_000).inspect(|_| read.set(read.get() + 1));
        let text = first(names.map(|number| format!("{number}{}", "x".repeat(1000))));
        assert!(text.starts_with("`0xxx") && text.ends_with("xxx…`, …"), "{text}");
        assert!(text.len() < 500 && read.get() == 7, "{} {}", text.len(), read.get());
        assert_eq!(first(["a", "b"]), "`a`, `b`");
        assert_eq!(first([""; 0]), "");
    }
}
