// The page's only script: loads the wasm-bindgen glue and starts the page. The names of the built files are on the script tag,
// written there at build time, because every one of them carries a hash.
const files = document.getElementById("boot").dataset;
const address = (name) => new URL(name, document.baseURI);

try {
  const page = await import(address(files.js));
  await page.default({ module_or_path: address(files.wasm) });
} catch (error) {
  // Without this an old browser, a proxy that drops .wasm files or half an upload would show an empty window.
  const alert = document.createElement("p");
  alert.setAttribute("role", "alert");
  alert.textContent =
    `Tapedeck could not start: ${error}. It needs a browser with WebAssembly (any from 2021 on), and all the files of ` +
    "its folder beside index.html. Reload the page; if that does not help, open it in another browser.";
  document.body.replaceChildren(alert);
  throw error;
}
