//! The names that nearly every rule file needs: the members of a [`Rule`], the events, the
//! connection, and the JSON values that findings point at. Rule files write
//! `use crate::rule::prelude::*;` and import all other names one by one.

pub use crate::{
    event::{Block, Call, End, Flaw, Message, PlanRemoved, Update},
    json::{Node, Text},
    model::{Answer, Connection, Mark, Observed, PlanUpdated, Rejected, Request, Stray},
    protocol::{Edition, Side, Surface, Surfaces, Version, methods},
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, On, Opening, Rule, Severity,
        SourceText, Verdict,
    },
    transcript::limits::Loss,
};
