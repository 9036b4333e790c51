//! What keeps the tests of cases from harming the machine they are measured on.
//!
//! Cases come from elsewhere and run as whoever runs the bench: a test that says `tcc -o /dev/null` as root removes the
//! null device. So tests run in bubblewrap: everything read-only but the folder of the candidate, a private `/dev`,
//! `/tmp` and `/proc`, no network, and nothing of it left when the test has ended. The wrapper that counts stays outside.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use dwindle_exec::sandbox;

/// What tests of cases are kept from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shield {
    /// Everything that bubblewrap, which is here, can keep them from.
    Bubblewrap(PathBuf),
    /// Nothing.
    Off,
}

impl Shield {
    /// Bubblewrap where it works. Without it, tests run unshielded if they are told to or cannot do much harm.
    pub(crate) fn choose(unshielded: bool) -> Result<Self> {
        if unshielded {
            return Ok(Shield::Off);
        }
        Self::decide(sandbox::available(), rustix::process::geteuid().is_root())
    }

    fn decide(bubblewrap: Result<PathBuf, sandbox::Unavailable>, is_root: bool) -> Result<Self> {
        match bubblewrap {
            Ok(program) => Ok(Shield::Bubblewrap(program)),
            Err(_) if !is_root => {
                anstream::eprintln!("dwindle-bench: no bubblewrap here, so tests can write wherever you can");
                Ok(Shield::Off)
            }
            Err(_) => anyhow::bail!(
                "tests of cases will not be run as root without bubblewrap, since they may write anywhere (`cc -o /dev/null` \
                 removes the null device): install it (apt install bubblewrap), run as another user, or say --unshielded"
            ),
        }
    }

    /// The bubblewrap program, if that is what shields.
    pub(crate) fn program(&self) -> Option<&Path> {
        match self {
            Shield::Bubblewrap(program) => Some(program),
            Shield::Off => None,
        }
    }

    /// The test, to be run in `dir`, the only folder it may write to.
    pub(crate) fn command(&self, test: &Path, dir: &Path) -> Command {
        let Shield::Bubblewrap(program) = self else {
            let mut command = Command::new(test);
            command.current_dir(dir);
            return command;
        };
        let mut command = Command::new(program);
        // Not in a session of its own: whoever ends the tool's process group ends the test as well.
        command.args(["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/"]);
        command.args(["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp"]);
        // What the private folders hide: the test with the files beside it, and the candidate.
        if let Some(beside) = test.parent() {
            command.arg("--ro-bind").args([beside, beside]);
        }
        command.arg("--bind").args([dir, dir]).arg("--chdir").arg(dir);
        command.args(["--setenv", "TMPDIR", "/tmp", "--"]).arg(test);
        command.current_dir(dir);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};

    #[test]
    fn root_without_bubblewrap_is_refused_and_told_what_to_do() {
        let missing = || Err(sandbox::Unavailable::Missing);
        let error = Shield::decide(missing(), true).unwrap_err().to_string();
        assert!(error.contains("bubblewrap") && error.contains("--unshielded"), "{error}");
        assert_eq!(Shield::decide(missing(), false).unwrap(), Shield::Off);
        assert_eq!(Shield::choose(true).unwrap(), Shield::Off);
        let there = PathBuf::from("/usr/bin/bwrap");
        assert_eq!(Shield::decide(Ok(there.clone()), true).unwrap(), Shield::Bubblewrap(there));
    }

    /// What a hostile test would do, except that it gives up if the first line has an effect: then there is no shield.
    #[test]
    fn a_hostile_test_harms_nothing_and_can_still_work() {
        let Ok(program) = sandbox::available() else {
            eprintln!("skipped: bubblewrap does not work here");
            return;
        };
        let outside = tempfile::tempdir().unwrap();
        let (case, work) = (outside.path().join("case"), outside.path().join("work"));
        std::fs::create_dir(&case).unwrap();
        std::fs::create_dir(&work).unwrap();
        std::fs::write(case.join("beside"), "data").unwrap();
        std::fs::write(outside.path().join("precious"), "kept").unwrap();
        let test = case.join("test.sh");
        let marker = format!("dwindle-bench-harm-{}", std::process::id());
        let script = format!(
            "#!/bin/sh\n\
             touch /etc/{marker} && {{ rm /etc/{marker}; exit 99; }}\n\
             rm -f /dev/null /dev/zero\n\
             touch /usr/{marker} /dev/shm/{marker} /tmp/{marker} /var/tmp/{marker}\n\
             rm -rf '{outside}/precious' '{case}/beside'\n\
             echo gone > '{outside}/precious'\n\
             echo \"$$\" > pid\n\
             mktemp -d > temp && cat '{case}/beside' > out && echo fine >> out\n",
            outside = outside.path().display(),
            case = case.display(),
        );
        std::fs::write(&test, script).unwrap();
        std::fs::set_permissions(&test, std::fs::Permissions::from_mode(0o755)).unwrap();

        let output = Shield::Bubblewrap(program).command(&test, &work).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert!(std::fs::metadata("/dev/zero").unwrap().file_type().is_char_device());
        for folder in ["/etc", "/usr", "/dev/shm", "/tmp", "/var/tmp"] {
            assert!(!Path::new(folder).join(&marker).exists(), "{folder}");
        }
        assert_eq!(std::fs::read_to_string(outside.path().join("precious")).unwrap(), "kept");
        assert_eq!(std::fs::read_to_string(case.join("beside")).unwrap(), "data");
        assert_eq!(std::fs::read_to_string(work.join("out")).unwrap(), "datafine\n");
        let temp = std::fs::read_to_string(work.join("temp")).unwrap();
        assert!(temp.starts_with("/tmp/") && !Path::new(temp.trim()).exists(), "{temp}");
    }
}
