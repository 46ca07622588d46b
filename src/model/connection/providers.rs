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

/// The model providers of a connection: the last list that the agent has sent, and the changes that
/// the client has asked for.
#[derive(Clone, Debug, Default)]
pub struct Providers {
    list: Option<ProviderList>,
    /// What is known of the requests that change each provider, by `providerId`.
    changes: Map<Box<str>, Asked>,
    /// Message number of the last answered `providers/list` request. Its answer has shown all
    /// changes that were confirmed before that request.
    shown: u64,
}

/// The requests that change one provider, as far as they decide what the next list must show.
#[derive(Clone, Debug, Default)]
struct Asked {
    /// Message number of the last request that changes this provider.
    number: u64,
    /// Number of requests to change this provider that wait for an answer.
    open: u32,
    /// Whether several requests waited at the same time, so that it is unknown which took effect
    /// last.
    overlap: bool,
    /// The provider's last change, once the agent has confirmed it; `None` before that.
    confirmed: Option<Confirmed>,
}

/// The model providers in the last answer to `providers/list`.
#[derive(Clone, Debug)]
pub struct ProviderList {
    /// Place of `result.providers` in the answer, so that a finding can point at it.
    pub at: Anchor,
    pub providers: ById<Provider>,
}

/// One provider in the answer to `providers/list`.
#[derive(Clone, Debug)]
pub struct Provider {
    pub id: Box<str>,
    /// Place of the provider's entry in the list, so that a finding can point at it.
    pub at: Anchor,
    /// Place of `"required": true`, which says that the provider cannot be disabled; `None` when
    /// the entry does not say so.
    pub required: Option<Anchor>,
    pub supported: NameList,
    /// Place of the entry's `supported` list, so that a finding can point at it; the whole entry
    /// when it has none.
    pub supported_at: Anchor,
}

/// A change of a provider that the agent has confirmed by a result.
#[derive(Clone, Debug)]
struct Confirmed {
    change: ProviderChange,
    /// Message number of the answer by which the agent confirmed the change.
    number: u64,
}

impl Providers {
    /// The providers in the last answer to `providers/list`; `None` before the first.
    pub fn list(&self) -> Option<&ProviderList> {
        self.list.as_ref()
    }

    /// The change of a provider that the answer to a `providers/list` request must show: the last
    /// one, when it was confirmed before that request and no list has shown it. `asked` is the
    /// request's message number.
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
                at: Anchor::of(list, &"/result/providers"),
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
        const POINTER: Pointer = &"/result/providers";
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

/// The array of providers in an answer to `providers/list`; `None` when it has none.
pub fn listed<'t>(answer: &Answer<'t>) -> Option<Node<'t>> {
    answer.result()?.get("providers").filter(|list| list.is_array())
}
