//! Every way into the page, and what happens when two are taken at once.
#![allow(missing_docs)]

use anyhow::ensure;
use e2e::{Page, Plain, Result, run, sample};

/// The sample stands open at its first position.
async fn sample_is_open(page: &Page) -> Result {
    let plain = Plain::read(&sample("thermostat.tape"))?;
    page.shows("thermostat.tape").await?;
    // The line comes with the reader's first answer.
    let position = page
        .wait("the first moment is shown", async || {
            Ok(Some(page.position().await?).filter(|position| position.text.contains("line")))
        })
        .await?;
    ensure!(position.now == 0 && position.last == plain.positions() - 1, "the timeline stands at {position:?}");
    ensure!(position.text.starts_with("1 of 1,083, line 43"), "the timeline says {:?}", position.text);
    Ok(())
}

#[tokio::test]
async fn a_tape_opens_by_the_picker() -> Result {
    run("picker", async |page| {
        page.pick(&[&sample("thermostat.tape")]).await?;
        sample_is_open(page).await
    })
    .await
}

#[tokio::test]
async fn a_tape_opens_by_a_drop_with_its_source_beside_it() -> Result {
    run("drop", async |page| {
        page.drop(&[&sample("thermostat.tape"), &sample("thermostat.eigs")]).await?;
        sample_is_open(page).await?;
        let source = page.find("region", "Source").await?;
        page.wait("the source is shown", async || {
            Ok(source.text().await?.contains("read_sensor of temp").then_some(()))
        })
        .await
    })
    .await
}

#[tokio::test]
async fn a_source_may_come_after_its_tape() -> Result {
    run("source-later", async |page| {
        page.drop(&[&sample("thermostat.tape")]).await?;
        sample_is_open(page).await?;
        ensure!(!page.text().await?.contains("read_sensor of temp"), "a source is shown that nobody gave");
        page.drop(&[&sample("thermostat.eigs")]).await?;
        let source = page.find("region", "Source").await?;
        page.wait("the source is shown", async || {
            Ok(source.text().await?.contains("read_sensor of temp").then_some(()))
        })
        .await
    })
    .await
}

#[tokio::test]
async fn a_tape_opens_by_pasting_its_text() -> Result {
    run("paste", async |page| {
        page.paste("V 2 0.40.0\nL 1\nS <module> 0 1\nA greeting=\"hello\"\nL 2\nA n=41\n").await?;
        let position = page.at(0).await?;
        ensure!(position.last == 1, "the timeline ends at {}", position.last);
        page.press(&["End"]).await?;
        page.at(1).await?;
        page.wait("the pasted values are shown", async || {
            let rows = page.rows("Bindings").await?;
            let has = |name: &str, value: &str| {
                rows.iter().any(|row| row.iter().any(|c| c.starts_with(name)) && row.iter().any(|c| c.contains(value)))
            };
            Ok((has("greeting", "\"hello\"") && has("n", "41")).then_some(()))
        })
        .await
    })
    .await
}

#[tokio::test]
async fn a_refused_file_says_why_and_leaves_the_open_tape_alone() -> Result {
    run("refused", async |page| {
        let other = page.file("newer.tape", "V 3 0.40.0\nL 1\n")?;
        page.drop(&[&other]).await?;
        let alert = page.alert(&["newer.tape", "format"]).await?;
        ensure!(alert.contains('3') && alert.contains('2'), "the alert names not both formats: {alert}");
        page.drop(&[&sample("thermostat.tape")]).await?;
        sample_is_open(page).await?;
        ensure!(page.lacks("alert", "").await? || !page.text().await?.contains("newer.tape"), "the old refusal stays");
        page.press(&["End"]).await?;
        page.at(1082).await?;
        page.drop(&[&other]).await?;
        page.alert(&["newer.tape"]).await?;
        let position = page.at(1082).await?;
        ensure!(position.last == 1082, "the open tape was lost: {position:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn of_two_drops_the_later_one_stays() -> Result {
    run("drop-twice", async |page| {
        let long = page.file("long.tape", long_tape(300_000))?;
        let (short, sample) =
            (page.file("short.tape", "V 2 0.40.0\nL 1\nA a=1\nL 2\nA a=2\nL 3\nA b=3\n")?, sample("thermostat.tape"));
        page.drop(&[&sample]).await?;
        sample_is_open(page).await?;
        // In the middle of opening one, another is given; then the other way round.
        for (first, second, last) in [(&long, &short, 2), (&short, &long, 599_999), (&long, &sample, 1082)] {
            page.drop(&[first]).await?;
            page.drop(&[second]).await?;
            page.wait("the second file is open", async || Ok((page.position().await?.last == last).then_some(())))
                .await?;
            // The first one's answers, if any come now, must not be shown.
            page.press(&["End"]).await?;
            let position = page.at(last).await?;
            ensure!(position.last == last, "the first file came back: {position:?}");
            let name = second.file_name().unwrap_or_default().to_string_lossy().into_owned();
            ensure!(page.text().await?.contains(&name), "the page does not name {name}");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_opening_can_be_cancelled() -> Result {
    run("cancel", async |page| {
        page.drop(&[&sample("thermostat.tape")]).await?;
        sample_is_open(page).await?;
        let long = page.file("long.tape", long_tape(3_000_000))?;
        page.drop(&[&long]).await?;
        page.find("progressbar", "").await?;
        page.find("button", "Cancel").await?.click().await?;
        page.wait("the progress is gone", async || Ok(page.lacks("progressbar", "").await?.then_some(()))).await?;
        sample_is_open(page).await?;
        page.press(&["ArrowRight"]).await?;
        page.at(1).await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_reload_begins_anew() -> Result {
    run("reload", async |page| {
        page.drop(&[&sample("thermostat.tape")]).await?;
        sample_is_open(page).await?;
        page.reload().await?;
        page.wait("the first screen is back", async || Ok(page.lacks("slider", "Timeline").await?.then_some(())))
            .await?;
        page.pick(&[&sample("thermostat.tape")]).await?;
        sample_is_open(page).await
    })
    .await
}

/// A tape with two positions a round.
fn long_tape(rounds: u32) -> String {
    use std::fmt::Write as _;
    let mut tape = String::from("V 2 0.40.0\n");
    for round in 0..rounds {
        let _ = writeln!(tape, "L 1\nA i={round}\nL 2\nA square={}", u64::from(round) * u64::from(round));
    }
    tape
}
