// Runs in every measured page before its own scripts: notes when a file is given and what is drawn after it.
self.benchWatch = (() => {
  const watch = { given: null, written: new Set(), glDraws: 0 };

  // The first thing a page can know of a chosen file is this event; the capturing phase comes before any handler of its own.
  addEventListener('input', event => {
    if (event.target instanceof HTMLInputElement && event.target.type === 'file') {
      watch.given = performance.now();
      watch.written.clear();
      watch.glDraws = 0;
    }
  }, true);

  const fillText = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    watch.written.add(String(text));
    return fillText.call(this, text, ...rest);
  };
  for (const name of ['drawArrays', 'drawElements']) {
    const draw = WebGLRenderingContext.prototype[name];
    WebGLRenderingContext.prototype[name] = function (...rest) {
      watch.glDraws += 1;
      return draw.apply(this, rest);
    };
  }

  // Whether a canvas of the timeline holds more than one colour.
  const hasInk = canvas => {
    if (!canvas.width || !canvas.height) return false;
    const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return pixels.some(pixel => pixel !== pixels[0]);
  };

  // The whole run and the first state are seen: the slider knows every position, Bindings shows the name that the first position
  // assigns, and the call frames' bars are drawn with their names.
  watch.tapeIsDrawn = (positions, name, frame) => {
    const slider = document.querySelector('[role=slider][aria-label=Timeline]');
    if (slider?.ariaValueMax !== String(positions - 1)) return false;
    const bindings = document.querySelector('section[aria-label=Bindings], [role=region][aria-label=Bindings]');
    if (!bindings?.textContent.includes(name)) return false;
    return watch.written.has(frame) && [...document.querySelectorAll('canvas')].some(hasInk);
  };

  // speedscope's rectangles are drawn by WebGL and by nothing else, the names in them by the 2D canvas above.
  watch.flamechartIsDrawn = name => watch.glDraws > 0 && [...watch.written].some(text => text.startsWith(name));

  // Milliseconds from the file's being given to the first animation frame in which a condition holds.
  watch.until = condition => new Promise(resolve => {
    const look = () => {
      if (watch.given !== null && condition()) resolve(performance.now() - watch.given);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  return watch;
})();
