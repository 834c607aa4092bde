//! Animation frames while a person scrubs and zooms.
use crate::browser::Browser;
use crate::report::Report;
use crate::site::Site;
use anyhow::Result;
pub(crate) fn measure(_: &mut Browser, _: &Site, _: usize, _: &mut Report) -> Result<()> {
    Ok(())
}
