//! Moving through time: by key, by mouse, by touch. What the page shows is compared with the tape read from its start.
#![allow(missing_docs)]

use anyhow::{Context as _, ensure};
use e2e::{Page, Plain, Result, run, sample};

async fn open_sample(page: &Page) -> Result<Plain> {
    page.drop(&[&sample("thermostat.tape"), &sample("thermostat.eigs")]).await?;
    page.wait("the first moment is shown", async || Ok(page.position().await?.text.contains("line").then_some(())))
        .await?;
    Plain::read(&sample("thermostat.tape"))
}

/// The row of a name in Bindings says its value in full, as on the tape; a name without a value so far has no row.
async fn binding_is(page: &Page, plain: &Plain, name: &str, position: u64) -> Result {
    let expected = plain.value(name, position);
    let mut shown = None;
    let outcome = page
        .wait(&format!("{name} is {expected:?} at {position}"), async || {
            let rows = page.rows("Bindings").await?;
            let row =
                rows.iter().find(|row| row.first().is_some_and(|cell| cell.split_whitespace().next() == Some(name)));
            shown = row.cloned();
            Ok(match (&expected, row) {
                (None, None) => Some(()),
                (Some(value), Some(row)) => {
                    let count = plain.assignments(name, position).to_string();
                    (row.contains(value) && row.contains(&count)).then_some(())
                }
                _ => None,
            })
        })
        .await;
    outcome.with_context(|| format!("the row of {name} is {shown:?}"))
}

/// Everything that shows the moment shows this one.
async fn moment_is(page: &Page, plain: &Plain, position: u64) -> Result {
    let line = plain.line(position).unwrap_or_default();
    let place = format!("{} of 1,083, line {line}", with_commas(position + 1));
    page.at(position).await?;
    // The line comes with the reader's answer; until then the slider says only where it is.
    page.wait(&format!("the timeline says {place:?}"), async || {
        let text = page.position().await?.text;
        Ok((text == place || text.starts_with(&format!("{place}, in "))).then_some(()))
    })
    .await?;
    for name in ["temp", "minute", "heat"] {
        binding_is(page, plain, name, position).await?;
    }
    Ok(())
}

fn with_commas(number: u64) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", number / 1000, number % 1000) }
}

#[tokio::test]
async fn keys_step_and_jump() -> Result {
    run("keys", async |page| {
        let plain = open_sample(page).await?;
        moment_is(page, &plain, 0).await?;
        let steps = [
            ("ArrowRight", 1),
            ("ArrowRight", 2),
            ("ArrowLeft", 1),
            ("Shift+ArrowRight", 11),
            ("Shift+ArrowRight", 21),
            ("Shift+ArrowLeft", 11),
            ("End", 1082),
            ("ArrowRight", 1082),
            ("ArrowLeft", 1081),
            ("F8", 1080),
            ("F11", 1081),
            ("Home", 0),
            ("ArrowLeft", 0),
        ];
        for (key, position) in steps {
            page.press(&[key]).await?;
            moment_is(page, &plain, position).await?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn keys_that_come_faster_than_answers_end_where_they_should() -> Result {
    run("fast-keys", async |page| {
        let plain = open_sample(page).await?;
        let keys: Vec<&str> =
            std::iter::repeat_n("Shift+ArrowRight", 60).chain(std::iter::repeat_n("ArrowLeft", 37)).collect();
        page.press(&keys).await?;
        moment_is(page, &plain, 563).await
    })
    .await
}

#[tokio::test]
async fn a_drag_on_the_timeline_scrubs() -> Result {
    run("scrub", async |page| {
        let plain = open_sample(page).await?;
        let area = page.find("slider", "Timeline").await?.area().await?;
        let mut last = 0;
        // The ruler may begin beside the names of the lanes: what counts is that positions follow the pointer, without a stale one.
        for (from, to) in [(0.3, 0.5), (0.5, 0.8), (0.8, 0.95)] {
            page.drag(area.at(from, 0.2), area.at(to, 0.2), 12).await?;
            let position = page
                .wait("the drag moves time", async || {
                    let now = page.position().await?.now;
                    Ok((now > last).then_some(now))
                })
                .await?;
            moment_is(page, &plain, position).await?;
            last = position;
        }
        ensure!(last > 900, "a drag to 95 % of the width ends at {last}");
        page.drag(area.at(0.95, 0.2), area.at(0.4, 0.2), 40).await?;
        let back = page
            .wait("the drag back moves time", async || {
                let now = page.position().await?.now;
                Ok((now < last).then_some(now))
            })
            .await?;
        moment_is(page, &plain, back).await
    })
    .await
}

#[tokio::test]
async fn typing_in_the_filter_narrows_the_bindings_and_moves_nothing() -> Result {
    run("filter", async |page| {
        let plain = open_sample(page).await?;
        page.press(&["End"]).await?;
        moment_is(page, &plain, 1082).await?;
        let all = page.rows("Bindings").await?.len();
        let filter = page.find("searchbox", "Filter bindings by name").await?;
        filter.click().await?;
        page.type_text("te").await?;
        // Each letter is a question of its own: the list narrows in steps.
        page.wait("the list is narrowed to the names that hold both letters", async || {
            let rows = page.rows("Bindings").await?;
            let mut names = rows.iter().skip(1).filter_map(|row| row.first()).peekable();
            let is_narrowed = rows.len() < all && names.peek().is_some() && names.all(|name| name.contains("te"));
            Ok(is_narrowed.then_some(()))
        })
        .await?;
        page.press(&["Home", "ArrowLeft", "0"]).await?;
        page.at(1082).await?;
        ensure!(
            filter.value().await? == "0te" || filter.value().await? == "te0",
            "the field holds {:?}",
            filter.value().await?
        );
        Ok(())
    })
    .await
}
