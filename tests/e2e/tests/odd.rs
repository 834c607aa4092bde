//! Files that are not what they should be: each opens with what is odd about it said, or is refused in words a person can act on.
#![allow(missing_docs)]

use anyhow::{Context as _, ensure};
use e2e::{Page, Result, run, sample};

/// The file is refused, and the alert says all of `words`.
async fn refused(page: &Page, name: &str, bytes: &[u8], words: &[&str]) -> Result {
    page.drop(&[&page.file(name, bytes)?]).await?;
    let mut all = vec![name];
    all.extend(words);
    page.alert(&all).await.with_context(|| format!("{name} was not refused so"))?;
    Ok(())
}

/// The file opens with so many positions, and the page says all of `words`.
async fn opens(page: &Page, name: &str, bytes: &[u8], positions: u64, words: &[&str]) -> Result {
    page.drop(&[&page.file(name, bytes)?]).await?;
    page.shows(name).await.with_context(|| format!("{name} does not open"))?;
    page.wait(&format!("{name} has {positions} positions"), async || {
        Ok((page.position().await?.last + 1 == positions).then_some(()))
    })
    .await?;
    for word in words {
        page.shows(word).await.with_context(|| format!("{name} opens, but its oddity is not said"))?;
    }
    ensure!(page.lacks("alert", "").await?, "{name} opens, but an alert stays");
    Ok(())
}

#[tokio::test]
async fn what_is_no_tape_is_named_and_refused() -> Result {
    run("odd-refused", async |page| {
        let zip = [b"PK\x03\x04".as_slice(), &[0; 60]].concat();
        refused(page, "empty.tape", b"", &["empty"]).await?;
        refused(page, "headless.tape", b"L 1\nA a=1\n", &["version header"]).await?;
        refused(page, "torn-header.tape", b"V two\nL 1\n", &["header"]).await?;
        refused(page, "newer.tape", b"V 3 0.40.0\nL 1\n", &["format 3", "format 2"]).await?;
        refused(page, "crlf.tape", b"V 2 0.40.0\r\nL 1\r\nA a=1\r\n", &["CRLF"]).await?;
        refused(page, "two-runtimes.tape", b"V 2 0.40.0\nL 1\nV 2 0.41.0\nL 1\n", &["0.41.0", "0.40.0"]).await?;
        refused(page, "picture.png", b"\x89PNG\r\n\x1a\n0000000000000000", &["PNG"]).await?;
        refused(page, "archive.zip", &zip, &["zip"]).await?;
        refused(page, "page.json", b"{\"a\": 1}", &["JSON"]).await?;
        // After all that the page still opens a tape.
        page.drop(&[&sample("thermostat.tape")]).await?;
        page.at(0).await?;
        ensure!(page.lacks("alert", "").await?, "a refusal stays after a tape was opened");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn what_is_odd_about_a_tape_is_said() -> Result {
    run("odd-opened", async |page| {
        opens(page, "torn.tape", b"V 2 0.40.0\nL 1\nA a=1\nL 2\nA a=2\nA ha", 2, &["torn record"]).await?;
        opens(page, "bytes.tape", b"V 2 0.40.0\nL 1\nA a=\"\xff\xfe\"\nL 2\n", 2, &["invalid UTF-8"]).await?;
        opens(page, "nul.tape", b"V 2 0.40.0\nL 1\nA a=1\0rest\nL 2\n", 2, &["NUL byte"]).await?;
        opens(page, "unknown.tape", b"V 2 0.40.0\nL 1\nQ what\nL 2\n", 2, &["unknown record kind"]).await?;
        opens(page, "seam.tape", b"V 2 0.40.0\nL 1\nA a=1\nV 2 0.40.0\nL 1\nA a=2\n", 2, &["seam between sessions"])
            .await?;
        let utf16: Vec<u8> = "\u{feff}V 2 0.40.0\nL 1\nL 2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        opens(page, "utf16.tape", &utf16, 2, &["UTF-16"]).await?;
        opens(page, "bom.tape", b"\xef\xbb\xbfV 2 0.40.0\nL 1\nL 2\n", 2, &["byte order mark"]).await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_tape_of_another_runtime_opens_without_labels() -> Result {
    run("odd-runtime", async |page| {
        let tape = std::fs::read_to_string(sample("thermostat.tape"))?;
        opens(
            page,
            "older.tape",
            tape.replacen("0.40.0", "0.39.0", 1).as_bytes(),
            1083,
            &["0.39.0", "no trajectory labels"],
        )
        .await?;
        page.press(&["End"]).await?;
        page.at(1082).await?;
        for label in ["converged", "improving", "oscillating", "diverging", "equilibrium"] {
            ensure!(!page.find("region", "Bindings").await?.text().await?.contains(label), "a label {label} is shown");
        }
        ensure!(page.text().await?.contains("no trajectory labels"), "the banner did not last");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_tape_without_positions_shows_its_inputs() -> Result {
    run("odd-still", async |page| {
        let path = page.file("still.tape", "V 2 0.40.0\nN random=0.25\nN clock_unix=1700000000\n")?;
        page.drop(&[&path]).await?;
        page.shows("Nothing to step").await?;
        page.wait("the inputs are listed", async || {
            let rows = page.rows("Inputs").await?;
            Ok(rows.iter().any(|row| row.iter().any(|cell| cell == "0.25")).then_some(()))
        })
        .await
    })
    .await
}

#[tokio::test]
async fn a_line_of_a_hundred_megabytes_and_a_stack_of_a_hundred_thousand_frames_open() -> Result {
    run("odd-large", async |page| {
        let mut line = b"V 2 0.40.0\nL 1\nN read_text=\"".to_vec();
        line.resize(100_000_000, b'x');
        line.extend_from_slice(b"\"\nL 2\nA after=1\n");
        opens(page, "long-line.tape", &line, 2, &[]).await?;
        page.press(&["End"]).await?;
        page.at(1).await?;
        page.wait("what follows the long line is read", async || {
            Ok(page
                .rows("Bindings")
                .await?
                .iter()
                .any(|row| row.first().is_some_and(|cell| cell.starts_with("after")))
                .then_some(()))
        })
        .await?;

        use std::fmt::Write as _;
        let mut deep = String::from("V 2 0.40.0\nL 1\nS <module> 0 1\nA a=0\n");
        for depth in 1..=100_000_u32 {
            let _ = writeln!(deep, "L 2\nS down {depth} {}\nA n={depth}", depth + 1);
        }
        opens(page, "deep.tape", deep.as_bytes(), 100_001, &[]).await?;
        page.press(&["End"]).await?;
        page.at(100_000).await?;
        // The line and the function come with the answer for the position, a little later than the position itself.
        page.wait("the deepest position names its function", async || {
            Ok(page.position().await?.text.ends_with("in down").then_some(()))
        })
        .await?;
        page.wait("the stack is counted", async || {
            Ok(page.find("region", "Call stack").await?.text().await?.contains("100,001").then_some(()))
        })
        .await
    })
    .await
}

#[tokio::test]
async fn a_file_that_changes_while_it_is_open_is_noticed() -> Result {
    run("odd-changing", async |page| {
        let path = page.file("growing.tape", "V 2 0.40.0\nL 1\nA a=1\n")?;
        page.evaluate("void addEventListener('drop', e => { self.kept = e.dataTransfer.files[0] }, true)").await?;
        page.drop(&[&path]).await?;
        page.at(0).await?;
        // The same file object, handed over again after the file on disk has grown.
        std::fs::write(&path, "V 2 0.40.0\nL 1\nA a=1\nL 2\nA a=2\n")?;
        // Browsers compare whole seconds.
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(10);
        std::fs::File::options().write(true).open(&path)?.set_modified(later)?;
        page.evaluate(
            "(() => { const t = new DataTransfer(); t.items.add(self.kept); \
             dispatchEvent(new DragEvent('drop', { dataTransfer: t, bubbles: true, cancelable: true })) })()",
        )
        .await?;
        page.alert(&["growing.tape", "changed"]).await?;
        Ok(())
    })
    .await
}
