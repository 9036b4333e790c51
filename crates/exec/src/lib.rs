//! Running the user's test: processes, limits, work directories, sandbox, persistent tests.
