//! The reader dies or hangs: that costs the recording that is open, never the page, and the page says so by itself.
#![allow(missing_docs)]

use anyhow::ensure;
use e2e::{Page, Result, run, sample};

async fn open_sample(page: &Page) -> Result {
    page.drop(&[&sample("thermostat.tape"), &sample("thermostat.eigs")]).await?;
    page.at(0).await?;
    page.wait("the source is shown", async || Ok(page.text().await?.contains("room stays below 24").then_some(())))
        .await
}

/// The page says that the reader is lost, and the same file opens again at a click, its source with it.
async fn told_and_opened_again(page: &Page) -> Result {
    page.alert(&["thermostat.tape", "reader"]).await?;
    page.find("button", "Open it again").await?.click().await?;
    page.wait("the tape is open again", async || {
        let is_quiet = page.lacks("alert", "").await? && page.lacks("progressbar", "").await?;
        Ok((is_quiet && page.position().await?.text.contains("line")).then_some(()))
    })
    .await?;
    page.press(&["End"]).await?;
    page.at(1082).await?;
    page.wait("the last values are shown", async || {
        let rows = page.rows("Bindings").await?;
        Ok(rows.iter().any(|row| row.first().is_some_and(|cell| cell.starts_with("took"))).then_some(()))
    })
    .await?;
    ensure!(page.text().await?.contains("room stays below 24"), "the source was lost");
    ensure!(page.worker_count().await? >= 1, "there is no worker");
    Ok(())
}

#[tokio::test]
async fn a_reader_that_dies_without_a_word_is_missed() -> Result {
    run("killed", async |page| {
        open_sample(page).await?;
        ensure!(page.kill_workers().await? >= 1, "there was no worker to kill");
        // Nobody touches the page: it must find out by itself.
        told_and_opened_again(page).await
    })
    .await
}

#[tokio::test]
async fn a_reader_that_hangs_is_ended() -> Result {
    run("hung", async |page| {
        open_sample(page).await?;
        ensure!(page.hang_workers().await? >= 1, "there was no worker to hang");
        page.press(&["ArrowRight", "ArrowRight"]).await?;
        told_and_opened_again(page).await
    })
    .await
}

#[tokio::test]
async fn after_a_death_another_file_opens() -> Result {
    run("killed-other", async |page| {
        open_sample(page).await?;
        ensure!(page.kill_workers().await? >= 1, "there was no worker to kill");
        page.alert(&["thermostat.tape", "reader"]).await?;
        let other = page.file("other.tape", "V 2 0.40.0\nL 1\nA a=1\nL 2\nA a=2\n")?;
        page.drop(&[&other]).await?;
        page.wait("the other file is open", async || Ok((page.position().await?.last == 1).then_some(()))).await?;
        page.shows("other.tape").await?;
        page.press(&["End"]).await?;
        page.at(1).await?;
        ensure!(page.lacks("alert", "").await?, "an alert about the dead reader stays");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_reader_that_dies_while_it_opens_a_file_costs_that_file_only() -> Result {
    run("killed-opening", async |page| {
        let mut long = String::from("V 2 0.40.0\n");
        for round in 0..4_000_000_u32 {
            long.push_str("L 1\nA i=");
            long.push_str(&round.to_string());
            long.push('\n');
        }
        let long = page.file("long.tape", long)?;
        page.drop(&[&long]).await?;
        page.find("progressbar", "Opening long.tape").await?;
        ensure!(page.kill_workers().await? >= 1, "there was no worker to kill");
        page.alert(&["long.tape", "reader"]).await?;
        ensure!(page.lacks("progressbar", "").await?, "the progress stays");
        open_sample(page).await?;
        page.find("slider", "Timeline").await?;
        Ok(())
    })
    .await
}
