//! What is kept of a request `providers/set` or `providers/disable`.

use crate::{event::Call, model::anchor::Anchor};

/// The change of a model provider that `providers/set` or `providers/disable` asks for, for rules
/// on later lists.
#[derive(Clone, Debug)]
pub struct ProviderChange {
    pub id: Box<str>,
    /// Place of the whole request, so that a finding can point at it.
    pub at: Anchor,
    /// How the provider is to be reached; `None` when it is to be disabled.
    pub route: Option<Route>,
}

/// How a model provider is reached, by the params of `providers/set`.
#[derive(Clone, Debug)]
pub struct Route {
    pub api_type: Box<str>,
    pub base_url: Box<str>,
}

impl ProviderChange {
    pub(in crate::model) fn of(method: &str, call: &Call<'_>) -> Option<Self> {
        let text = |name| Some(call.param(name)?.text()?.to_boxed());
        let route = match method {
            "providers/set" => {
                Some(Route { api_type: text("apiType")?, base_url: text("baseUrl")? })
            }
            _ => None,
        };
        Some(Self { id: text("providerId")?, at: Anchor::of(call.node, &""), route })
    }
}
