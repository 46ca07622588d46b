//! The model providers that a client may configure: what the agent lists, and which changes it has
//! confirmed since.

use crate::{
    event::Call,
    json::{Node, Text},
    map::Map,
    model::{
        anchor::{Anchor, Pointer},
        by_id::{ById, HasId},
        name_list::NameList,
        request::{change::ProviderChange, facts::RequestFacts},
        response::Answer,
    },
    protocol::methods,
};

/// The providers of a connection.
#[derive(Clone, Debug, Default)]
pub struct Providers {
    list: Option<ProviderList>,
    /// Changes by provider.
    changes: Map<Box<str>, Asked>,
    /// Number of the last answered request for the list. The list has shown the changes that were
    /// confirmed before it.
    shown: u64,
}

/// The requests that change one provider.
#[derive(Clone, Debug, Default)]
struct Asked {
    /// Number of the last request that changes it.
    number: u64,
    /// The number of these requests that wait for an answer.
    open: u32,
    /// Whether several requests waited at the same time, so that it is unknown which took effect
    /// last.
    overlap: bool,
    /// The last change, when it is confirmed.
    confirmed: Option<Confirmed>,
}

/// The result of `providers/list`.
#[derive(Clone, Debug)]
pub struct ProviderList {
    /// The list.
    pub at: Anchor,
    pub providers: ById<Provider>,
}

/// A listed provider.
#[derive(Clone, Debug)]
pub struct Provider {
    pub id: Box<str>,
    /// Its entry in the list.
    pub at: Anchor,
    /// The member that says that it cannot be disabled.
    pub required: Option<Anchor>,
    pub supported: NameList,
    /// The provider's `supported` list; its entry when it has none.
    pub supported_at: Anchor,
}

/// A change that the agent has confirmed.
#[derive(Clone, Debug)]
struct Confirmed {
    change: ProviderChange,
    /// Number of the answer.
    number: u64,
}

impl Providers {
    /// The last list; `None` while none is known.
    pub fn list(&self) -> Option<&ProviderList> {
        self.list.as_ref()
    }

    /// The change that a list must show when message `asked` asked for the list: the provider's
    /// last one, confirmed before that message, and not shown yet.
    pub fn change(&self, id: Text<'_>, asked: u64) -> Option<&ProviderChange> {
        let confirmed = self.changes.get(&*id.as_cow())?.confirmed.as_ref();
        confirmed.filter(|it| it.number > self.shown && it.number < asked).map(|it| &it.change)
    }

    pub(super) fn apply_call(&mut self, method: &str, call: &Call<'_>, number: u64) {
        if methods::changes_provider(method)
            && let Some(id) = call.param("providerId").and_then(Node::text)
        {
            let asked = self.changes.entry(id.to_boxed()).or_default();
            let (open, overlap) = (asked.open + 1, asked.overlap || asked.open > 0);
            *asked = Asked { number, open, overlap, confirmed: None };
        }
    }

    pub(super) fn apply_answer(&mut self, answer: &Answer<'_>, number: u64) {
        let request = answer.request;
        if let RequestFacts::Change(change) = &request.facts {
            let Some(asked) = self.changes.get_mut(&change.id) else { return };
            asked.open = asked.open.saturating_sub(1);
            if asked.number == request.number && !asked.overlap && answer.result().is_some() {
                asked.confirmed = Some(Confirmed { change: (**change).clone(), number });
            }
            asked.overlap &= asked.open > 0;
        } else if &*request.method == "providers/list"
            && let Some(list) = listed(answer)
        {
            self.shown = self.shown.max(request.number);
            self.list = Some(ProviderList {
                at: Anchor::of(list, Pointer::ResultProviders),
                providers: list.elements().filter_map(Provider::of).collect(),
            });
        }
    }
}

impl ProviderList {
    pub fn provider(&self, id: Text<'_>) -> Option<&Provider> {
        self.providers.named(&id.as_cow())
    }
}

impl HasId for Provider {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Provider {
    fn of(entry: Node<'_>) -> Option<Self> {
        const POINTER: Pointer = Pointer::ResultProviders;
        let supported = entry.get("supported").filter(|list| list.is_array());
        let required = entry.get("required").filter(|it| it.boolean() == Some(true));
        let values = supported.into_iter().flat_map(Node::elements).filter_map(Node::text);
        Some(Self {
            id: entry.get("providerId")?.text()?.to_boxed(),
            at: Anchor::of(entry, POINTER),
            required: required.map(|node| Anchor::of(node, POINTER)),
            supported: NameList::of(values.map(Text::as_cow)),
            supported_at: Anchor::of(supported.unwrap_or(entry), POINTER),
        })
    }
}

/// The list in the answer to `providers/list`.
pub fn listed<'t>(answer: &Answer<'t>) -> Option<Node<'t>> {
    answer.result()?.get("providers").filter(|list| list.is_array())
}
