//! The walk over a value along its shape.
//!
//! It is sound rather than complete: a yes means that the validator accepts the value too, for
//! every surface of the version. What fits only by means of a draft is therefore never sure.

use super::compile::Program;
use super::shape::{
    Accepts, Alternatives, DefinitionId, Demand, Mismatch, Object, Observation, Openness, Shape,
    Site, Union, Values,
};
use crate::json::{Kind, Node};

impl Program {
    /// Walks over a value for [`super::Definition::walk`]. Returns `Unknown` for `None`, which is a
    /// definition that the version with drafts no longer has.
    pub(super) fn walk<'t>(
        &'static self,
        definition: Option<DefinitionId>,
        value: Node<'t>,
        observe: &mut dyn FnMut(Observation<'t>),
    ) -> Accepts {
        let Some(definition) = definition else { return Accepts::Unknown };
        let mut walk = Walk { program: self, observe, met_draft: false };
        match walk.shape(self.shape(definition), value) {
            Fit::Yes if !walk.met_draft => Accepts::Surely,
            _ => Accepts::Unknown,
        }
    }

    /// The name of the only member of an object that may not fit, so that the validator has to
    /// check that member alone. `None` where several may not, or something else is in doubt.
    pub(super) fn only_misfit(
        &'static self,
        definition: DefinitionId,
        node: Node<'_>,
    ) -> Option<&'static str> {
        let Shape::Object(object) = self.shape(definition) else { return None };
        let (mut missing, mut misfit) = (object.required, None);
        for (name, value) in node.members() {
            let Some(place) = object.place(name) else { continue };
            missing &= !(1 << place);
            let member = &object.members[place];
            if member.name.draft || self.silently(&member.shape, value) != Fit::Yes {
                if misfit.is_some() {
                    return None;
                }
                misfit = Some(member.name.text);
            }
        }
        misfit.filter(|_| missing == 0 && !object.doubtful)
    }

    /// Whether a value fits a compiled schema. Reports nothing about enumerations and `_meta`, in
    /// contrast to a full walk.
    fn silently<'t>(&'static self, shape: &'static Shape, node: Node<'t>) -> Fit {
        let observe: &mut dyn FnMut(Observation<'t>) = &mut |_| {};
        let mut walk = Walk { program: self, observe, met_draft: false };
        let fit = walk.shape(shape, node);
        // What a draft refuses, the version without drafts may not know.
        if walk.met_draft { Fit::Unsure } else { fit }
    }
}

impl Program {
    /// How many members of an object, or of the elements of a list, a compiled schema does not know
    /// or misses. `tag` is a discriminator whose absence does not count.
    fn mismatch(
        &'static self,
        shape: &'static Shape,
        node: Node<'_>,
        tag: Option<&str>,
    ) -> Mismatch {
        match shape {
            Shape::Definition(definition) => self.mismatch(self.shape(*definition), node, tag),
            Shape::Kinds(kinds) => self.mismatch(kinds.of(node.kind()), node, tag),
            Shape::Array { element, .. } if node.is_array() => {
                Mismatch::of_list(node, |node| self.mismatch(element, node, tag))
            }
            Shape::Object(object) if node.is_object() => {
                let is_known = |name: Node<'_>| object.place(name).is_some();
                Mismatch::of_object(node, is_known, &object.demanded, tag)
            }
            _ => Mismatch::default(),
        }
    }

    /// Whether an object without discriminator is closer to a variant of the union than to the
    /// branch without discriminator.
    fn has_nearer(
        &'static self,
        union: &'static Union,
        untagged: &'static Shape,
        node: Node<'_>,
    ) -> bool {
        let own = self.mismatch(untagged, node, None);
        union
            .variants
            .iter()
            .any(|variant| self.mismatch(&variant.shape, node, Some(union.tag)).is_less_than(own))
    }
}

impl Object {
    /// Index of the member with this name; `None` for an unknown name.
    fn place(&self, name: Node<'_>) -> Option<usize> {
        self.members.iter().position(|member| name.is(member.name.text))
    }
}

struct Walk<'o, 't> {
    program: &'static Program,
    observe: &'o mut dyn FnMut(Observation<'t>),
    met_draft: bool,
}

impl<'t> Walk<'_, 't> {
    fn shape(&mut self, shape: &'static Shape, node: Node<'t>) -> Fit {
        match shape {
            Shape::Definition(definition) => self.shape(self.program.shape(*definition), node),
            Shape::Anything => Fit::Yes,
            Shape::Opaque => Fit::Unsure,
            Shape::Nothing => Fit::No,
            Shape::Null => node.is_null().into(),
            Shape::Boolean => matches!(node.kind(), Kind::True | Kind::False).into(),
            Shape::Integer { least, greatest } => {
                match node.integer() {
                    Some(number) => (*least..=*greatest).contains(&number).into(),
                    None if node.is_number() => Fit::Unsure, // beyond 64 bits, or a fraction
                    None => Fit::No,
                }
            }
            Shape::Number { least: f64::NEG_INFINITY, greatest: f64::INFINITY } => {
                node.is_number().into()
            }
            Shape::Number { least, greatest } => match node.number() {
                Some(number) => (*least..=*greatest).contains(&number).into(),
                None => Fit::No,
            },
            Shape::String { shortest: 0, longest: usize::MAX } => node.is_string().into(),
            Shape::String { shortest, longest } => match node.text() {
                Some(text) => (*shortest..=*longest).contains(&text.len_chars()).into(),
                None => Fit::No,
            },
            Shape::Identifier { type_name } => match node.text() {
                Some(text) => {
                    if text.is_empty() {
                        self.observe(Observation::EmptyIdentifier { value: node, type_name });
                    }
                    Fit::Yes
                }
                None => Fit::No,
            },
            Shape::Meta if node.is_object() || node.is_null() => Fit::Yes,
            Shape::Meta => {
                self.observe(Observation::MetaNotObject { value: node });
                Fit::No
            }
            Shape::Values(values) => self.values(values, node),
            Shape::Kinds(kinds) => self.shape(kinds.of(node.kind()), node),
            Shape::Array { element, shortest } => {
                if !node.is_array() {
                    return Fit::No;
                }
                let mut fit = Fit::from(*shortest == 0 || node.len() >= *shortest);
                for node in node.elements() {
                    fit = fit.max(self.shape(element, node));
                }
                fit
            }
            Shape::Map { .. } if !node.is_object() => Fit::No,
            Shape::Map { value } if **value == Shape::Anything => Fit::Yes,
            Shape::Map { value } => {
                node.members().map(|(_, node)| self.shape(value, node)).fold(Fit::Yes, Fit::max)
            }
            Shape::Object(object) => self.object(object, node),
            Shape::Union(union) => self.union(union, node),
            Shape::Alternatives(alternatives) => self.alternatives(alternatives, node),
            Shape::Both(both) => self.shape(&both.0, node).max(self.shape(&both.1, node)),
        }
    }

    fn values(&mut self, values: &'static Values, node: Node<'t>) -> Fit {
        if !node.is_string() {
            return Fit::No;
        }
        let site = &values.site;
        match values.known.iter().find(|name| node.is(name.text)) {
            Some(name) if !name.draft => Fit::Yes,
            Some(_) => {
                self.met_draft = true;
                self.observe(Observation::DraftValue { value: node, site });
                Fit::Yes
            }
            None => self.undefined(values.openness, site, node),
        }
    }

    fn object(&mut self, object: &'static Object, node: Node<'t>) -> Fit {
        if !node.is_object() {
            return Fit::No;
        }
        let mut missing = object.required;
        let mut fit = if object.doubtful { Fit::Unsure } else { Fit::Yes };
        for (name, value) in node.members() {
            let Some(place) = object.place(name) else {
                if !object.open && !name.is("_meta") {
                    self.observe(Observation::UnknownMember {
                        object: node,
                        name,
                        value,
                        type_name: object.type_name,
                        known: &object.known,
                        demanded: &object.demanded,
                    });
                }
                continue;
            };
            missing &= !(1 << place);
            let member = &object.members[place];
            if member.name.draft {
                self.met_draft = true;
                self.observe(Observation::DraftMember {
                    name,
                    member: member.name.text,
                    type_name: object.type_name,
                });
            }
            if member.forgives_null && value.is_null() {
                self.observe(Observation::NullForList { value, member: member.name.text });
            }
            fit = fit.max(self.shape(&member.shape, value));
        }
        fit.max(Fit::from(missing == 0))
    }

    fn union(&mut self, union: &'static Union, node: Node<'t>) -> Fit {
        if !node.is_object() {
            return Fit::No;
        }
        let Some(tag) = node.get(union.tag).filter(|tag| tag.is_string()) else {
            return match &union.untagged {
                // Its members are those of another form, which only lacks what names it.
                Some((shape, _))
                    if self.program.silently(shape, node) == Fit::No
                        && self.program.has_nearer(union, shape, node) =>
                {
                    Fit::No
                }
                Some((shape, _)) => self.shape(shape, node),
                None => Fit::No,
            };
        };
        let variant = union.variants.iter().find(|variant| tag.is(variant.tag.text));
        let site = &union.site;
        match (variant, &union.other, &union.untagged) {
            (Some(variant), _, Some((shape, branch)))
                if self.program.silently(&variant.shape, node) == Fit::No =>
            {
                self.fall_through(node, tag, shape, branch, (variant.type_name, site))
            }
            (Some(variant), ..) => {
                if variant.tag.draft {
                    self.met_draft = true;
                    self.observe(Observation::DraftVariant { value: tag, site });
                }
                self.shape(&variant.shape, node)
            }
            (None, Some(other), _) => {
                let fit = self.undefined(union.openness, site, tag);
                fit.max(self.shape(other, node))
            }
            (None, None, Some((shape, branch))) => {
                self.fall_through(node, tag, shape, branch, (None, site))
            }
            (None, None, None) => Fit::No,
        }
    }

    fn fall_through(
        &mut self,
        object: Node<'t>,
        tag: Node<'t>,
        shape: &'static Shape,
        branch: &'static str,
        (meant, site): (Option<&'static str>, &'static Site),
    ) -> Fit {
        if self.program.silently(shape, object) == Fit::No {
            return Fit::No; // what it lacks says more than what it has
        }
        self.observe(Observation::Fallthrough { object, tag, branch, meant, site });
        self.shape(shape, object)
    }

    fn alternatives(&mut self, alternatives: &'static Alternatives, node: Node<'t>) -> Fit {
        let (mut fitting, mut doubted, mut best) = (0, 0, None);
        for alternative in &alternatives.alternatives {
            let fit = self.program.silently(alternative, node);
            fitting += usize::from(fit == Fit::Yes);
            doubted += usize::from(fit == Fit::Unsure);
            // Of those that do not fit, the one is meant whose members these are.
            let strange = match fit {
                Fit::No => self.program.mismatch(alternative, node, None),
                Fit::Yes | Fit::Unsure => Mismatch::default(),
            };
            let rank = (fit, strange.unknown + strange.missing);
            if best.is_none_or(|(_, best)| rank < best) {
                best = Some((alternative, rank));
            }
        }
        let Some((best, (fit, _))) = best else { return Fit::No };
        let _ = self.shape(best, node);
        match (alternatives.demand, fitting, doubted) {
            (Demand::AtLeastOne, ..) | (Demand::ExactlyOne, 1, 0) | (Demand::ExactlyOne, 0, _) => {
                fit
            }
            (Demand::ExactlyOne, 2.., _) => Fit::No,
            (Demand::ExactlyOne, ..) => Fit::Unsure,
        }
    }

    /// Handles a string that an enumeration or discriminator does not define: reports it where
    /// `openness` admits it.
    fn undefined(&mut self, openness: Openness, site: &'static Site, value: Node<'t>) -> Fit {
        match openness {
            Openness::Closed => return Fit::No,
            Openness::Free => {}
            Openness::Open if value.text().is_some_and(|text| text.starts_with("_")) => {
                self.observe(Observation::CustomValue { value, site });
            }
            Openness::Open => self.observe(Observation::OpenValue { value, site }),
        }
        Fit::Yes
    }

    fn observe(&mut self, observation: Observation<'t>) {
        (self.observe)(observation);
    }
}

/// How a value fits a compiled schema, from best to worst. For a whole value, the worst of its
/// parts counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Yes,
    Unsure,
    No,
}

impl From<bool> for Fit {
    fn from(fits: bool) -> Self {
        if fits { Self::Yes } else { Self::No }
    }
}
