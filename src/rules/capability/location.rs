//! Where capabilities stand in the messages of `initialize`.

const ROOTS: [&str; 4] = [
    "/params/clientCapabilities",
    "/params/capabilities",
    "/result/agentCapabilities",
    "/result/capabilities",
];

/// The path of a capability at a JSON pointer, empty for the object of all; `None` for other
/// places and for what vendors say in `_meta`.
pub(super) fn path_at(pointer: &str) -> Option<String> {
    let path = ROOTS.iter().find_map(|root| pointer.strip_prefix(root))?;
    let is_whole = path.is_empty() || path.starts_with('/');
    let is_free = path.split('/').any(|name| name == "_meta");
    (is_whole && !is_free).then(|| path.trim_start_matches('/').replace('/', "."))
}
