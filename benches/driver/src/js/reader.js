// Speaks to the page's own worker file as the page does: a worker from a blob, messages [id, request, payload?], one question after
// the other; the clock stops when the reply arrives.
self.benchReader = (() => {
  const base = new URL(document.getElementById('boot').dataset.worker, document.baseURI).href;
  const script = `self.__base=${JSON.stringify(base)};importScripts(${JSON.stringify(base)});`;
  const waiting = new Map();
  let lastId = 0;
  let worker;
  return {
    start: () => new Promise((resolve, reject) => {
      worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })));
      worker.onerror = event => reject(new Error(event.message ?? 'the worker does not start'));
      worker.onmessage = ({ data: [id, buffer] }) => {
        if (id === 0) resolve();
        else waiting.get(id)(new Uint8Array(buffer));
      };
    }),
    // `isLast` says of a reply's first byte (its kind) whether nothing follows.
    ask: (request, payload, isLast = () => true) => new Promise(resolve => {
      const id = ++lastId;
      waiting.set(id, bytes => {
        if (!isLast(bytes[0])) return;
        waiting.delete(id);
        resolve(bytes);
      });
      worker.postMessage(payload === undefined ? [id, request] : [id, request, payload]);
    }),
    // Round trips in milliseconds, and what the last question was answered.
    async times(requests) {
      const times = [];
      let last;
      for (const request of requests) {
        const start = performance.now();
        last = await this.ask(request);
        times.push(performance.now() - start);
      }
      return { times, last: [...last] };
    },
    end: () => worker.terminate(),
  };
})();
