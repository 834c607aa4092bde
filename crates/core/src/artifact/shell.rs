//! The line that replays a tape, fit to be pasted into a shell.

/// `EIGS_REPLAY=<tape> eigenscript <file>`, each path quoted where a POSIX shell needs it.
pub fn replay_command(tape: &str, file: &str) -> String {
    // A path that begins with a dash would be taken for an option.
    let file = if file.starts_with('-') { format!("./{file}") } else { file.to_owned() };
    format!("EIGS_REPLAY={} eigenscript {}", quote(tape), quote(&file))
}

/// One word for a POSIX shell: as it is when nothing in it is special, else in single quotes.
pub fn quote(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@%+,=".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_needed() {
        for (word, quoted) in [
            ("tapes/a.tape", "tapes/a.tape"),
            ("", "''"),
            ("my tapes/a.tape", "'my tapes/a.tape'"),
            ("it's", r"'it'\''s'"),
            ("$(rm -rf ~)", "'$(rm -rf ~)'"),
            ("a\nb", "'a\nb'"),
            ("~x", "'~x'"),
            ("ü", "'ü'"),
        ] {
            assert_eq!(quote(word), quoted);
        }
    }

    #[test]
    fn the_replay_line_runs_no_option() {
        assert_eq!(replay_command("/tmp/eigen_b", "-x.eigs"), "EIGS_REPLAY=/tmp/eigen_b eigenscript ./-x.eigs");
    }
}
