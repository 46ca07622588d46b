//! What several targets hold transcripts to: the same as the tests.

#[path = "../../tests/hostile/outputs.rs"]
pub mod outputs;
#[path = "../../tests/hostile/places.rs"]
pub mod places;
