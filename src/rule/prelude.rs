//! What nearly every rule file needs, to be imported as `use crate::rule::prelude::*;`: the members
//! of a [`Rule`], the events that a check takes, the connection, and the JSON values that a finding
//! points at.

pub use crate::{
    event::{Block, Call, End, Flaw, Message, PlanRemoved, Update},
    json::{Node, Text},
    model::{Answer, Connection, Mark, Observed, PlanUpdated, Rejected, Request, Stray},
    protocol::{Edition, Side, Surface, Surfaces, Version},
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, On, Opening, Rule, Severity,
        SourceText, Verdict,
    },
};
