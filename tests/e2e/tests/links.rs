//! Links: what the sender saw is what the receiver sees, and a link that is not whole says so.
#![allow(missing_docs)]

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use e2e::{Page, Result, Theme, run, sample};
use serde_json::json;

fn corpus(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).with_file_name("corpus").join("eigs").join(path)
}

async fn fragment(page: &Page) -> Result<String> {
    Ok(page.evaluate("location.hash").await?.as_str().unwrap_or_default().to_owned())
}

/// Whether a link has a field of this value.
fn has(link: &str, field: &str) -> bool {
    link.split(['#', '&']).any(|part| part == field)
}

/// Everything that a link is to carry, as the page shows it.
async fn choices(page: &Page) -> Result<serde_json::Value> {
    page.evaluate(
        "(() => { const pressed = region => [...document.querySelectorAll(`[aria-label=\"${region}\"] [aria-pressed=true]`)] \
              .map(button => button.ariaLabel ?? button.innerText); \
            return { position: document.querySelector('[role=slider]').ariaValueText, breakpoints: pressed('Source'), \
                chosen_and_pinned: pressed('Bindings'), theme: document.documentElement.dataset.theme ?? null } })()",
    )
    .await
}

#[tokio::test]
async fn a_link_with_the_recording_inside_shows_the_same_in_a_fresh_browser() -> Result {
    let (link, sent) = {
        let sent = std::cell::RefCell::new((String::new(), serde_json::Value::Null));
        run("link-send", async |page| {
            page.resize(1280, 800, Theme::Light).await?;
            page.drop(&[&sample("thermostat.tape"), &sample("thermostat.eigs")]).await?;
            page.at(0).await?;
            page.shows("room stays below 24").await?;
            page.press(&["Shift+ArrowRight", "Shift+ArrowRight", "ArrowRight", "+", "+"]).await?;
            page.at(21).await?;
            // A line that is in sight: another window shows it, too, since it stands at the same position.
            page.evaluate("document.querySelector('[aria-current=step] [aria-label^=Breakpoint]').click()").await?;
            // The binding in the first row is chosen and its pin turned over.
            page.evaluate("document.querySelector('[aria-label=Bindings] tbody th button:last-of-type').click()").await?;
            page.press(&["p"]).await?;
            page.evaluate("[...document.querySelectorAll('header button')].find(b => b.ariaLabel?.includes('Change to light')).click()")
                .await?;
            page.find("button", "Share").await?.click().await?;
            let field = page.find("textbox", "Link").await?;
            let link = page
                .wait("the link is made", async || Ok(Some(field.value().await?).filter(|link| has(link, "p=22"))))
                .await?;
            page.shows("Copy link with the recording inside").await?;
            page.screenshot("share-1280-light").await?;
            page.press(&["Escape"]).await?;
            *sent.borrow_mut() = (link, choices(page).await?);
            Ok(())
        })
        .await?;
        sent.into_inner()
    };
    let fragment = link.split_once('#').context("the link has no fragment")?.1.to_owned();
    ensure!(
        fragment.contains("&r=") && fragment.contains("&b=") && has(&fragment, "t=light"),
        "the link is {fragment}"
    );
    run("link-receive", async |page| {
        page.resize(400, 700, Theme::Dark).await?;
        page.load(&format!("#{fragment}")).await?;
        page.at(21).await?;
        page.resize(1280, 800, Theme::Dark).await?;
        page.shows("room stays below 24").await?;
        page.wait("everything is as the sender saw it", async || Ok((choices(page).await? == sent).then_some(())))
            .await
            .with_context(|| format!("the sender saw {sent}"))?;
        // The range survives another size of the window: the address is what the sender's was.
        let range = |text: &str| text.split('&').find(|field| field.starts_with("r=")).map(str::to_owned);
        page.wait("the address carries the same range", async || {
            let own = page.evaluate("location.hash").await?;
            Ok((range(own.as_str().unwrap_or_default()) == range(&fragment)).then_some(()))
        })
        .await
    })
    .await
}

#[tokio::test]
async fn the_address_follows_and_back_walks_jumps() -> Result {
    run("link-follows", async |page| {
        page.drop(&[&sample("thermostat.tape")]).await?;
        page.at(0).await?;
        page.wait("the address names the position", async || Ok(has(&fragment(page).await?, "p=1").then_some(())))
            .await?;
        page.press(&["ArrowRight", "ArrowRight", "ArrowRight"]).await?;
        page.wait("the address follows steps", async || Ok(has(&fragment(page).await?, "p=4").then_some(()))).await?;
        let before = page.evaluate("history.length").await?;
        page.press(&["End"]).await?;
        page.at(1082).await?;
        page.wait("the address follows a jump", async || Ok(has(&fragment(page).await?, "p=1083").then_some(())))
            .await?;
        let after = page.evaluate("history.length").await?;
        ensure!(after.as_u64() == before.as_u64().map(|length| length + 1), "history grew from {before} to {after}");
        page.evaluate("history.back()").await?;
        page.at(3).await?;
        page.evaluate("history.forward()").await?;
        page.at(1082).await?;
        // An address that is typed into an open page is followed, too.
        page.evaluate("void (location.hash = '1&p=500')").await?;
        page.at(499).await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn scrubbing_writes_the_address_at_most_four_times_a_second() -> Result {
    run("link-scrub", async |page| {
        page.drop(&[&sample("thermostat.tape")]).await?;
        page.at(0).await?;
        page.evaluate(
            "self.writes = []; const real = history.replaceState.bind(history); \
             history.replaceState = (...all) => { writes.push(performance.now()); real(...all) }",
        )
        .await?;
        let area = page.find("slider", "Timeline").await?.area().await?;
        page.drag(area.at(0.1, 0.5), area.at(0.9, 0.5), 60).await?;
        page.wait("the address has come to rest", async || {
            let now = page.position().await?.now;
            Ok(has(&fragment(page).await?, &format!("p={}", now + 1)).then_some(()))
        })
        .await?;
        let gaps = page.evaluate("writes.slice(1).map((at, index) => at - writes[index])").await?;
        let gaps: Vec<f64> = serde_json::from_value(gaps)?;
        ensure!(gaps.iter().all(|gap| *gap >= 240.0), "the address was written after {gaps:?} ms");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn links_that_are_not_whole_say_so() -> Result {
    run("link-broken", async |page| {
        let whole =
            std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../links/v1_inline_tape.link"))?;
        let whole = whole.trim();
        let whole = whole.split_once('#').map_or(whole, |(_, fragment)| fragment);
        page.load(&format!("#{whole}")).await?;
        page.at(0).await?;
        page.load(&format!("#{}", &whole[..whole.len() - 9])).await?;
        page.alert(&["The link was not opened", "cut"]).await?;
        page.load("#7&p=1").await?;
        page.alert(&["needs a newer Tapedeck"]).await?;
        // One character of the data is another.
        let at = whole.rfind(".").context("the link holds no data")? + 6;
        let other = if &whole[at..=at] == "A" { "B" } else { "A" };
        page.load(&format!("#{}{other}{}", &whole[..at], &whole[at + 1..])).await?;
        page.alert(&["damaged"]).await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_secret_is_listed_and_leaves_the_link_when_taken_out() -> Result {
    run("link-redact", async |page| {
        page.paste("V 2 0.40.0\nL 1\nS <module> 0 1\nN env_get=\"swordfish-77\"\nA token=\"swordfish-77\"\nL 2\n").await?;
        page.at(0).await?;
        page.find("button", "Share").await?.click().await?;
        page.shows("Take out environment values").await?;
        let field = page.find("textbox", "Link").await?;
        let inside = async || -> Result<String> {
            let link = field.value().await?;
            let fragment = link.split_once('#').map(|(_, fragment)| fragment.to_owned()).unwrap_or_default();
            let unpacked = page
                .evaluate(&format!(
                    "(async link => {{ const data = link.match(/&d=\\d+\\.[0-9a-f]+\\.([\\w-]+)/)[1].replace(/-/g, '+').replace(/_/g, '/'); \
                     const bytes = Uint8Array.from(atob(data), c => c.charCodeAt(0)); \
                     const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')); \
                     return await new Response(stream).text() }})({})",
                    json!(fragment)
                ))
                .await?;
            Ok(unpacked.as_str().unwrap_or_default().to_owned())
        };
        ensure!(inside().await?.contains("swordfish-77"), "the link does not hold the tape");
        page.find("checkbox", "Take out environment values").await?.click().await?;
        page.wait("the secret is out of the link", async || {
            Ok((!inside().await?.contains("swordfish")).then_some(()))
        })
        .await?;
        ensure!(inside().await?.contains("N env_get=<redacted>"), "the record is gone instead of marked");
        page.shows("Taken out in 2 places").await
    })
    .await
}

#[tokio::test]
async fn a_file_of_an_artifact_at_an_address_comes_back_by_its_link() -> Result {
    run("link-url", async |page| {
        // The page's own host serves the sample artifact, so it can be fetched without further permission.
        page.find("button", "From a URL").await?.click().await?;
        let address = page.evaluate("new URL('samples/results.zip', document.baseURI).href").await?;
        let address = address.as_str().context("an address")?.to_owned();
        page.find("textbox", "Address").await?.focus().await?;
        page.evaluate(&format!("document.activeElement.value = {}", json!(address))).await?;
        page.press(&["Enter"]).await?;
        page.shows("2 of 5 tests failed").await?;
        page.find("button", "tests/test_parse.eigs").await?.click().await?;
        page.at(23).await?;
        page.press(&["ArrowLeft"]).await?;
        page.wait("the address names recording, file and position", async || {
            let own = fragment(page).await?;
            Ok((own.contains("&u=")
                && own.contains("&h=")
                && own.contains("f=tapes/test_parse.tape")
                && has(&own, "p=23"))
            .then_some(()))
        })
        .await?;
        page.reload().await?;
        let position = page.at(22).await?;
        ensure!(position.last == 23, "another file came back: {position:?}");

        // Other bytes behind the address than those that the link was made with.
        let own = fragment(page).await?;
        let sum = own.split("&h=").nth(1).and_then(|rest| rest.get(..64)).context("a check sum")?.to_owned();
        page.load(&format!("#1&u={}&h={}&p=1", address.replace(':', "%3A"), sum.replace(|c| c != '0', "0"))).await?;
        page.alert(&["not what the link was made with", &sum, "0000000000000000"]).await?;
        page.find("button", "Look at it anyway").await?.click().await?;
        page.shows("2 of 5 tests failed").await
    })
    .await
}

#[tokio::test]
async fn addresses_that_give_nothing_say_why() -> Result {
    run("link-url-errors", async |page| {
        let open = async |address: &str| -> Result {
            page.load("").await?;
            page.find("button", "From a URL").await?.click().await?;
            page.find("textbox", "Address").await?.focus().await?;
            page.evaluate(&format!("document.activeElement.value = {}", json!(address))).await?;
            page.press(&["Enter"]).await
        };
        let base = page.evaluate("document.baseURI").await?;
        let base = base.as_str().context("an address")?.to_owned();
        open(&format!("{base}samples/nothing.tape")).await?;
        page.alert(&["nothing at this address", "404"]).await?;
        open(&base).await?;
        page.alert(&["a web page (HTML) instead of a recording"]).await?;
        open("https://github.com/a/b/actions/runs/1/artifacts/2").await?;
        page.alert(&["artifact of GitHub Actions", "need not be unpacked"]).await?;
        open("ftp://example.org/a.tape").await?;
        page.alert(&["ftp:", "are not fetched"]).await?;
        // A query may hold a token: a link may not fetch it unasked.
        page.load(&format!("#1&u={}samples/thermostat.tape%3Ftoken=1&p=3", base.replace(':', "%3A"))).await?;
        page.shows("Fetch this address?").await?;
        ensure!(page.lacks("slider", "Timeline").await?, "it was fetched without being confirmed");
        page.find("button", "Fetch it").await?.click().await?;
        page.at(2).await?;
        // The browser reports the missing file on its own.
        page.trouble().await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_view_without_a_recording_waits_for_it() -> Result {
    run("link-view", async |page| {
        page.load("#1&p=11").await?;
        page.shows("not the recording").await?;
        page.drop(&[&corpus("testrun/tapes/test_dice.tape")]).await?;
        page.at(10).await?;
        Ok(())
    })
    .await
}
