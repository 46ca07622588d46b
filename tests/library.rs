//! All tests of the library, in one program: it is linked once, and tests of all files run side by side.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "a test may read files and start programs")]

#[path = "alone.rs"]
mod alone;
#[path = "architecture.rs"]
mod architecture;
#[path = "attacks.rs"]
mod attacks;
#[path = "audit.rs"]
mod audit;
#[path = "catalogue.rs"]
mod catalogue;
#[path = "causes.rs"]
mod causes;
#[path = "conversations.rs"]
mod conversations;
#[path = "driven.rs"]
mod driven;
#[path = "editions.rs"]
mod editions;
#[path = "effort.rs"]
mod effort;
#[path = "fingerprints.rs"]
mod fingerprints;
#[path = "fixtures.rs"]
mod fixtures;
#[path = "formats.rs"]
mod formats;
#[path = "fulfilment.rs"]
mod fulfilment;
#[path = "schema/generate.rs"]
mod generate;
#[path = "hostile.rs"]
mod hostile;
#[path = "invariance.rs"]
mod invariance;
#[path = "json.rs"]
mod json;
#[path = "labelled.rs"]
mod labelled;
#[path = "measure.rs"]
mod measure;
#[path = "hostile/places.rs"]
mod places;
#[path = "plan.rs"]
mod plan;
#[path = "playback.rs"]
mod playback;
#[path = "recording.rs"]
mod recording;
#[path = "redact.rs"]
mod redact;
#[path = "reduce.rs"]
mod reduce;
#[path = "requirements.rs"]
mod requirements;
#[path = "runs.rs"]
mod runs;
#[path = "schema.rs"]
mod schema;
#[path = "support.rs"]
mod support;
#[path = "texts.rs"]
mod texts;
#[path = "transport.rs"]
mod transport;
#[path = "truth.rs"]
mod truth;
