mod patch;
mod report;
