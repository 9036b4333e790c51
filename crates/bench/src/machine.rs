//! The machine a measurement was made on, and who else was on it.

use std::fmt;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// How busy the machine is.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Load {
    /// How many tests can really run at once.
    pub(crate) cores: usize,
    /// Processes that were running or waiting to, averaged over a minute.
    pub(crate) load: f64,
}

impl Load {
    /// As it is now; 0 where the machine does not tell.
    pub(crate) fn now() -> Self {
        let told = std::fs::read_to_string("/proc/loadavg").ok();
        let load = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
        Load {
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get),
            load: load.unwrap_or(0.0),
        }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cores, {:.1} processes running or waiting over the last minute", self.cores, self.load)
    }
}

/// What this thread has used of the processor: other people's work on a busy machine is not in it.
pub(crate) fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
