//! stub
use jsonschema::ValidationError;
use serde_json::Value;
use crate::{json::Node, protocol::Version};
#[derive(Clone, Debug)]
pub struct SchemaFault<'t> { pub node: Node<'t>, pub kind: FaultKind, pub effect: Effect }
#[derive(Clone, Debug)]
pub enum FaultKind { Other { text: String } }
#[derive(Clone, Debug)]
pub enum Effect { Rejected }
pub(super) fn narrow<'t>(_name: &'static str, _document: &'static Value, _version: Version, value: Node<'t>, errors: &[ValidationError<'_>]) -> Vec<SchemaFault<'t>> {
    errors.iter().map(|e| SchemaFault { node: value, kind: FaultKind::Other { text: e.to_string() }, effect: Effect::Rejected }).collect()
}
