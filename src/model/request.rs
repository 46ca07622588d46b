//! What is kept of a request until it is answered, and after.

pub mod facts;
pub mod roots;
