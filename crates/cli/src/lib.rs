//! A test-case reducer: the smallest input that still makes your tool misbehave.
