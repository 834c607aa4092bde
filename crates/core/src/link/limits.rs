//! What chat programs and browsers are known to do to long links, each with the page that says so.
//!
//! Invariant: no number is here without a page by its maker (or one that quotes it) that documents it.

/// Something that links are sent through or opened with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its name: "Discord".
    pub name: &'static str,
    /// The longest link that passes, in characters (a link is ASCII, so in bytes too).
    pub limit: usize,
    /// What happens to a longer one, to be put behind the name: "refuses messages over 2,000 characters".
    pub what: &'static str,
    /// Where that is written.
    pub page: &'static str,
}

/// The channels, the narrowest first.
pub const CHANNELS: [Channel; 4] = [
    Channel {
        name: "Discord",
        limit: 2_000,
        what: "refuses messages over 2,000 characters",
        page: "https://discord.com/developers/docs/resources/message#create-message",
    },
    Channel {
        name: "Microsoft Teams",
        limit: 28 << 10,
        what: "refuses messages over about 28 KB",
        page: "https://learn.microsoft.com/en-us/connectors/teams/#known-issues-and-limitations",
    },
    Channel {
        name: "Slack",
        limit: 40_000,
        what: "cuts messages after 40,000 characters",
        page: "https://api.slack.com/changelog/2018-04-truncating-really-long-messages",
    },
    Channel {
        name: "Chrome",
        limit: 2 << 20,
        what: "does not open addresses over 2 MB",
        page: "https://chromium.googlesource.com/chromium/src/+/main/docs/security/url_display_guidelines/url_display_guidelines.md#url-length",
    },
];

/// The channels that a link of `characters` does not pass.
pub fn too_long_for(characters: usize) -> impl Iterator<Item = &'static Channel> {
    CHANNELS.iter().filter(move |channel| characters > channel.limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_links_pass_fewer_channels() {
        let names = |characters| too_long_for(characters).map(|channel| channel.name).collect::<Vec<_>>();
        assert_eq!(names(2_000), Vec::<&str>::new());
        assert_eq!(names(2_001), ["Discord"]);
        assert_eq!(names(50_000), ["Discord", "Microsoft Teams", "Slack"]);
        assert_eq!(names(3 << 20).len(), CHANNELS.len());
    }
}
