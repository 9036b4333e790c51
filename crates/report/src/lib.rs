//! What a reduction tells people: live view, plain lines, summaries.
