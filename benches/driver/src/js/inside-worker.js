importScripts('bench_wasm.js');
onmessage = async ({ data: { tape, what, draws, rows } }) => {
  try {
    const bytes = new Uint8Array(await (await fetch(tape)).arrayBuffer());
    await wasm_bindgen({ module_or_path: 'bench_wasm_bg.wasm' });
    if (what === 'copy') {
      postMessage({ answer: { copy_ms: wasm_bindgen.first_copy_ms(bytes), bytes: bytes.length } });
      return;
    }
    const answer = JSON.parse(wasm_bindgen.read(bytes));
    const positions = Uint32Array.from(draws, draw => Math.floor(draw * answer.positions));
    answer.state_ms = [...wasm_bindgen.state_ms(positions, rows)];
    postMessage({ answer });
  } catch (error) {
    postMessage({ error: String(error) });
  }
};
