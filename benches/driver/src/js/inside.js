// One measurement in a worker, and so in a wasm instance, of its own.
self.benchInside = request => new Promise((resolve, reject) => {
  const worker = new Worker('inside-worker.js');
  worker.onerror = event => reject(new Error(event.message ?? 'the worker does not start'));
  worker.onmessage = ({ data }) => {
    worker.terminate();
    if (data.error) reject(new Error(data.error));
    else resolve(data.answer);
  };
  worker.postMessage(request);
});
