//! An agent would be here. The example is in `tests/agent.rs`.
