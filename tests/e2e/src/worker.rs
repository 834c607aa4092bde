//! Doing harm to the page's workers, as the system or a fault would.

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::Result;
use crate::page::Page;

impl Page {
    /// Ends the page's workers through DevTools. No error event tells the page of it. Returns how many there were.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn kill_workers(&self) -> Result<usize> {
        self.in_workers("self.close()").await
    }

    /// Makes the page's workers compute for ever: they hear no message any more. Returns how many there were.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn hang_workers(&self) -> Result<usize> {
        self.in_workers("for (;;);").await
    }

    /// How many workers the page has now.
    ///
    /// # Errors
    /// When the browser does not answer.
    pub async fn worker_count(&self) -> Result<usize> {
        Ok(self.workers().await?.len())
    }

    async fn workers(&self) -> Result<Vec<Value>> {
        let answer = self.cdp("Target.getTargets", json!({ "filter": [{ "type": "worker" }] })).await?;
        Ok(answer["targetInfos"].as_array().context("targets without a list")?.clone())
    }

    async fn in_workers(&self, script: &str) -> Result<usize> {
        let workers = self.workers().await?;
        for worker in &workers {
            let target = &worker["targetId"];
            let session = self.cdp("Target.attachToTarget", json!({ "targetId": target, "flatten": false })).await?;
            let command =
                json!({ "id": 1, "method": "Runtime.evaluate", "params": { "expression": script } }).to_string();
            self.cdp("Target.sendMessageToTarget", json!({ "sessionId": session["sessionId"], "message": command }))
                .await?;
        }
        Ok(workers.len())
    }
}
