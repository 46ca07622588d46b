//! Parsers for the values of options.

use std::{
    ffi::OsStr,
    num::{IntErrorKind, ParseIntError},
    str::FromStr,
};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::source::printable;

/// A clap parser that accepts what `parse` accepts, and lets shells complete the words that `names`
/// returns.
#[derive(Clone)]
pub(super) struct Completable<T> {
    pub(super) parse: fn(&str) -> Result<T, String>,
    pub(super) names: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Completable<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        checked(self.parse).parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

/// A clap parser that accepts what `parse` accepts. The errors of `parse` may quote the argument:
/// they are made printable.
pub(super) fn checked<T: Clone + Send + Sync + 'static>(
    parse: fn(&str) -> Result<T, String>,
) -> impl TypedValueParser<Value = T> {
    move |text: &str| parse(text).map_err(|why| printable(&why).into_owned())
}

/// Reads a whole number, at least 1. `what` says in the error what was expected, such as `a number
/// of threads`.
pub(super) fn counted<N: FromStr<Err = ParseIntError>>(
    text: &str,
    what: &str,
) -> Result<N, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => "the number is too large".to_owned(),
        _ => format!("expected {what}, a whole number from 1"),
    })
}

/// A clap parser that accepts one of several names. Each item is a name, its value, and its text in
/// the long help; with an empty text, the help shows no text.
pub(super) fn choice<T: Clone + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = (&'static str, T, &'static str)>,
) -> impl TypedValueParser<Value = T> {
    let choices: Vec<_> = choices.into_iter().collect();
    let values = choices.iter().map(|(name, _, help)| {
        let value = PossibleValue::new(*name);
        if help.is_empty() { value } else { value.help(*help) }
    });
    PossibleValuesParser::new(values.collect::<Vec<_>>()).try_map(move |chosen| {
        let choice = choices.iter().find(|(name, _, _)| *name == chosen);
        choice.map(|(_, value, _)| value.clone()).ok_or("no such choice")
    })
}
