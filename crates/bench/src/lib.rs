//! Workloads, contestants and tables: the numbers behind dwindle's claims.
