//! What schemas say about one object, brought together.

use std::collections::BTreeSet;

use crate::protocol::schema::{
    pair::SchemaPair,
    shape::{Member, Object, Shape},
};

/// What the schema of an object says of members and demands, collected before its unions are
/// compiled.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    pub(super) type_name: &'static str,
    pub(super) members: Vec<Member>,
    pub(super) required: BTreeSet<&'static str>,
    pub(super) open: bool,
    pub(super) doubtful: bool,
    /// Unions in the schema of the object, each with its keyword: `oneOf` or `anyOf`.
    pub(super) unions: Vec<(&'static str, SchemaPair)>,
}

impl Outline {
    pub(super) fn new(pair: SchemaPair) -> Self {
        Self {
            type_name: pair.type_name,
            members: Vec::new(),
            required: BTreeSet::new(),
            open: false,
            doubtful: false,
            unions: Vec::new(),
        }
    }

    /// Adds a member to the object. If it has the member already, values must fit both schemas.
    pub(super) fn join(&mut self, member: Member) {
        let name = member.name.text;
        let Some(present) = self.members.iter_mut().find(|present| present.name.text == name)
        else {
            self.members.push(member);
            return;
        };
        present.name.draft &= member.name.draft;
        present.forgives_null |= member.forgives_null;
        let shape = std::mem::replace(&mut present.shape, Shape::Anything);
        present.shape = match (shape, member.shape) {
            (one, other) if one == other => one,
            (Shape::Anything, shape) | (shape, Shape::Anything) => shape,
            (one, other) => both(one, other),
        };
    }

    /// The compiled schema of the object, after the branches of its unions were added.
    pub(super) fn finish(mut self) -> Shape {
        // Documents are sorted or not, as `serde_json` is built; shapes do not depend on it.
        self.members.sort_by_key(|member| member.name.text);
        let known: Vec<_> = self.members.iter().map(|member| member.name.text).collect();
        if known.len() > u64::BITS as usize {
            return Shape::Opaque;
        }
        let mut required = 0;
        for name in &self.required {
            match known.binary_search(name) {
                Ok(place) => required |= 1 << place,
                Err(_) => self.doubtful = true,
            }
        }
        let Self { type_name, members, required: demanded, open, doubtful, .. } = self;
        let demanded = demanded.into_iter().collect();
        Shape::Object(Box::new(Object {
            type_name,
            members,
            known,
            demanded,
            required,
            open,
            doubtful,
        }))
    }
}

/// The compiled schema of values that must fit two schemas at once.
pub(super) fn both(one: Shape, other: Shape) -> Shape {
    Shape::Both(Box::new((one, other)))
}
