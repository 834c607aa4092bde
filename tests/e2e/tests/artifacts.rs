//! What CI hands out is opened as it is: archives, folders, bundles, several files.
#![allow(missing_docs)]

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use e2e::{Page, Result, run, sample};

fn corpus(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).with_file_name("corpus").join("eigs").join(path)
}

/// The five tests of the corpus' run are listed, the two that failed first, and the first one's tape opens where it ended.
async fn run_is_listed_and_its_failure_opens_at_the_end(page: &Page) -> Result {
    page.find("region", "Files").await?;
    let rows = page
        .wait("the tests are listed", async || {
            let rows = page.rows("Files").await?;
            Ok((rows.len() >= 6).then_some(rows))
        })
        .await?;
    let test = |at: usize| rows[at].iter().map(String::as_str).collect::<Vec<_>>();
    ensure!(test(0) == ["Test", "Status", "Exit", "Asserts"], "the head is {:?}", test(0));
    ensure!(test(1)[..3] == ["tests/test_dice.eigs", "fail", "1"], "the first test is {:?}", test(1));
    ensure!(test(2)[..3] == ["tests/test_parse.eigs", "fail", "1"], "the second test is {:?}", test(2));
    let summary = rows.iter().find(|row| row[0] == "tests/test_summary.eigs").context("a passing test is missing")?;
    ensure!(summary[1..] == ["pass", "0", "3 pass, 0 fail"], "the summary test is {summary:?}");
    page.shows("2 of 5 tests failed").await?;

    page.find("button", "tests/test_dice.eigs").await?.click().await?;
    let position = page.at(22).await?;
    ensure!(position.last == 22, "the timeline ends at {}", position.last);
    let source = page.find("region", "Source").await?;
    page.wait("the source came with it", async || {
        Ok(source.text().await?.contains("fails: the roll is recorded").then_some(()))
    })
    .await?;
    page.shows("EIGS_REPLAY=tapes/test_dice.tape eigenscript tests/test_dice.eigs").await?;
    page.find("button", "Copy the command").await?;

    // Another of its files, by its own name in the list of everything.
    page.find("button", "tapes/test_parse.tape").await?.click().await?;
    let position = page.at(23).await?;
    ensure!(position.last == 23, "the timeline ends at {}", position.last);
    page.wait("the other source came with it", async || {
        Ok(page.find("region", "Source").await?.text().await?.contains("test_parse.eigs").then_some(()))
    })
    .await
}

#[tokio::test]
async fn a_zip_of_a_test_run_opens_as_it_is() -> Result {
    run("artifact-zip", async |page| {
        page.drop(&[&corpus("testrun/results.zip")]).await?;
        run_is_listed_and_its_failure_opens_at_the_end(page).await
    })
    .await
}

#[tokio::test]
async fn a_packed_tar_of_a_test_run_opens_as_it_is() -> Result {
    run("artifact-tar", async |page| {
        page.pick(&[&corpus("testrun/results.tar.gz")]).await?;
        run_is_listed_and_its_failure_opens_at_the_end(page).await
    })
    .await
}

/// A folder with the unpacked files of the run.
fn unpacked() -> Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("tapedeck-e2e-{}", std::process::id())).join("unpacked");
    for part in ["tapes", "tests"] {
        std::fs::create_dir_all(folder.join(part))?;
        for file in std::fs::read_dir(corpus("testrun").join(part))? {
            let file = file?;
            if !file.file_name().to_string_lossy().ends_with(".json") {
                std::fs::copy(file.path(), folder.join(part).join(file.file_name()))?;
            }
        }
    }
    std::fs::copy(corpus("testrun/results.json"), folder.join("results.json"))?;
    Ok(folder)
}

#[tokio::test]
async fn a_folder_is_walked() -> Result {
    run("artifact-folder", async |page| {
        page.drop(&[&unpacked()?]).await?;
        run_is_listed_and_its_failure_opens_at_the_end(page).await
    })
    .await
}

#[tokio::test]
async fn the_recording_of_a_bundle_opens_at_once_with_its_script() -> Result {
    run("artifact-bundle", async |page| {
        page.drop(&[&corpus("bundle/thermostat.bundle")]).await?;
        let position = page.at(0).await?;
        ensure!(position.last > 0, "the tape of the bundle has one position only");
        let source = page.find("region", "Source").await?;
        page.wait("the script is shown", async || Ok(source.text().await?.contains("define").then_some(()))).await
    })
    .await
}

#[tokio::test]
async fn several_files_are_one_artifact() -> Result {
    run("artifact-files", async |page| {
        page.drop(&[
            &corpus("testrun/tapes/test_dice.tape"),
            &corpus("testrun/tapes/test_parse.tape"),
            &corpus("testrun/tests/test_dice.eigs"),
        ])
        .await?;
        page.find("button", "test_dice.tape").await?.click().await?;
        let position = page.at(0).await?;
        ensure!(position.last == 22, "the timeline ends at {}", position.last);
        page.shows("fails: the roll is recorded").await?;
        page.shows("EIGS_REPLAY=test_dice.tape eigenscript test_dice.eigs").await
    })
    .await
}

#[tokio::test]
async fn an_archive_without_a_recording_says_what_is_in_it_and_costs_nothing() -> Result {
    run("artifact-empty", async |page| {
        page.drop(&[&sample("thermostat.tape")]).await?;
        page.at(0).await?;
        page.drop(&[&corpus("testrun/tests")]).await?;
        let alert = page.alert(&["no tape and no trace among its 5 files", "test_arith.eigs"]).await?;
        ensure!(alert.contains("tests was not opened"), "the alert does not name the folder: {alert}");
        ensure!(page.position().await?.last == 1082, "the tape that was open is gone");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_sample_artifact_is_offered_and_opens() -> Result {
    run("artifact-sample", async |page| {
        page.resize(1280, 800, e2e::Theme::Dark).await?;
        page.evaluate(
            "[...document.querySelectorAll('button')].find(b => b.innerText.startsWith('Try a CI artifact')).click()",
        )
        .await?;
        page.shows("2 of 5 tests failed").await?;
        page.screenshot("artifact-choose-1280-dark").await?;
        run_is_listed_and_its_failure_opens_at_the_end(page).await?;
        page.screenshot("artifact-open-1280-dark").await?;
        page.resize(1280, 800, e2e::Theme::Light).await?;
        page.screenshot("artifact-open-1280-light").await?;
        page.resize(400, 800, e2e::Theme::Light).await?;
        page.screenshot("artifact-open-400-light").await
    })
    .await
}
