//! The configuration options of a session. The agent sends the whole list each time.

use crate::{
    event::Update,
    json::{Node, Text},
    model::{
        anchor::{Anchor, Pointer},
        by_id::{ById, HasId},
        name_list::NameList,
        request::setting::ConfigValue,
        response::Answer,
        session::announced::Announced,
    },
};

/// The last two lists of config options that the agent announced in a session.
pub type Configuration = Announced<OptionList>;

/// A list of configuration options (`configOptions`), in an answer or a `config_option_update`.
#[derive(Clone, Debug)]
pub struct OptionList {
    pub at: Anchor,
    pub options: ById<ConfigOption>,
    /// Ids of options that an earlier list has and no later one, up to this list. The first ones.
    pub dropped: Vec<Box<str>>,
}

/// A config option of a session, such as its model, with the values that it accepts.
#[derive(Clone, Debug)]
pub struct ConfigOption {
    pub id: Box<str>,
    pub at: Anchor,
    pub choice: Choice,
    /// The option's `currentValue`; `None` when that is neither a string nor a boolean.
    pub current: Option<ConfigValue>,
    /// Whether the option has the category `mode`, so that it stands for the mode of the session.
    pub is_mode: bool,
}

/// The values that a config option accepts, by its `type`.
#[derive(Clone, Debug)]
pub enum Choice {
    Select {
        values: Box<NameList>,
        at: Anchor,
    },
    Boolean,
    /// A type that the protocol does not define, or a `select` without a list of values.
    Other,
}

impl Configuration {
    pub(super) fn apply_answer(&mut self, answer: &Answer<'_>, number: u64) {
        if let Some(list) = listed(answer) {
            let list = OptionList::of(list, &"/result/configOptions", self.last());
            self.answer(list, number);
        }
    }

    /// Takes the list of options from a `config_option_update`. `number` is the number of the
    /// message.
    pub(super) fn apply_update(&mut self, update: &Update<'_>, number: u64) {
        if let Some(list) = reported(update) {
            let list = OptionList::of(list, &"/params/update/configOptions", self.last());
            self.report(list, number);
        }
    }
}

impl OptionList {
    /// `before`: the list that this one replaces.
    fn of(list: Node<'_>, pointer: Pointer, before: Option<&Self>) -> Self {
        /// How many dropped options are kept.
        const MOST: usize = 64;
        let options = list.elements().filter_map(|node| ConfigOption::of(node, pointer));
        let options: ById<ConfigOption> = options.collect();
        let earlier = before.into_iter().flat_map(|before| {
            let listed = before.options.iter().map(|option| &option.id);
            before.dropped.iter().chain(listed)
        });
        let dropped = earlier.filter(|id| options.named(id).is_none()).take(MOST).cloned();
        Self { at: Anchor::of(list, pointer), dropped: dropped.collect(), options }
    }

    pub fn option(&self, id: Text<'_>) -> Option<&ConfigOption> {
        self.named(&id.as_cow())
    }

    pub fn named(&self, id: &str) -> Option<&ConfigOption> {
        self.options.named(id)
    }
}

impl HasId for ConfigOption {
    fn id(&self) -> &str {
        &self.id
    }
}

impl ConfigOption {
    fn of(node: Node<'_>, pointer: Pointer) -> Option<Self> {
        let kind = node.get("type").and_then(Node::text).map(Text::as_cow);
        let choice = match kind.as_deref() {
            Some("boolean") => Choice::Boolean,
            Some("select") => match node.get("options").filter(|options| options.is_array()) {
                Some(options) => Choice::Select {
                    values: Box::new(NameList::of(values(node).map(Text::as_cow))),
                    at: Anchor::of(options, pointer),
                },
                None => Choice::Other,
            },
            _ => Choice::Other,
        };
        Some(Self {
            id: id(node)?.to_boxed(),
            at: Anchor::of(node, pointer),
            choice,
            current: node.get("currentValue").and_then(ConfigValue::of),
            is_mode: is_mode(node),
        })
    }

    /// Whether the option can be set to the value; `None` when the option's type is not known.
    pub fn offers(&self, value: &ConfigValue) -> Option<bool> {
        match (&self.choice, value) {
            (Choice::Select { values, .. }, ConfigValue::Id(id)) => Some(values.contains(id)),
            (Choice::Boolean, ConfigValue::Boolean(_)) => Some(true),
            (Choice::Other, _) => None,
            (Choice::Select { .. } | Choice::Boolean, _) => Some(false),
        }
    }
}

/// The `configOptions` in an answer; `None` when it has no such list.
pub fn listed<'t>(answer: &Answer<'t>) -> Option<Node<'t>> {
    answer.result()?.get("configOptions").filter(|list| list.is_array())
}

/// The `configOptions` in a `config_option_update`; `None` for other updates, or without a list.
pub fn reported<'t>(update: &Update<'t>) -> Option<Node<'t>> {
    if update.kind != "config_option_update" {
        return None;
    }
    update.update.get("configOptions").filter(|list| list.is_array())
}

/// The id of a config option: its `configId`, or its `id` on version 1; `None` without one.
pub fn id(option: Node<'_>) -> Option<Text<'_>> {
    option.get("configId").or_else(|| option.get("id"))?.text()
}

/// Whether a configuration option has the category `mode`, so that it stands for the mode of the
/// session.
pub fn is_mode(option: Node<'_>) -> bool {
    option.get("category").is_some_and(|category| category.is("mode"))
}

/// The values that a configuration option offers, including those in groups.
pub fn values(option: Node<'_>) -> impl Iterator<Item = Text<'_>> {
    let entries = option.get("options").into_iter().flat_map(Node::elements);
    let offered = entries.flat_map(|entry| {
        let in_group = entry.get("options").into_iter().flat_map(Node::elements);
        in_group.chain([entry])
    });
    offered.filter_map(|entry| entry.get("value")?.text())
}
