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

  // Conditions return what is still missing, and nothing when they hold.

  // The whole run and the first state are seen: the slider knows every position, Bindings shows the name that the first position
  // assigns, and the call frames' bars are drawn with their names.
  watch.tape = (positions, name, frame) => () => {
    const slider = document.querySelector('[role=slider][aria-label=Timeline]');
    if (slider?.ariaValueMax !== String(positions - 1)) return `the slider's end is ${slider?.ariaValueMax}, not ${positions - 1}`;
    const bindings = document.querySelector('section[aria-label=Bindings], [role=region][aria-label=Bindings]');
    if (!bindings?.textContent.includes(name)) return `Bindings does not show ${name}`;
    if (!watch.written.has(frame)) return `no frame is drawn as ${frame}, only ${[...watch.written].slice(0, 40)}`;
    if (![...document.querySelectorAll('canvas')].some(hasInk)) return 'every canvas is of one colour';
  };

  // speedscope's rectangles are drawn by WebGL and by nothing else; the times above them on a 2D canvas.
  watch.flamechart = () => () => {
    if (watch.glDraws === 0) return 'nothing is drawn by WebGL';
    const isTime = text => /^[\d.]+(ns|µs|ms|s)$/.test(text);
    if (![...watch.written].some(isTime)) return `no time is drawn, only ${[...watch.written].slice(0, 40)}`;
  };

  // Milliseconds from the file's being given to the first animation frame in which nothing is missing.
  watch.until = condition => new Promise((resolve, reject) => {
    const limit = performance.now() + 120000;
    const look = () => {
      const missing = watch.given === null ? 'no file was given' : condition();
      if (!missing) resolve(performance.now() - watch.given);
      else if (performance.now() > limit) reject(new Error(`waited 120 s: ${missing}`));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });

  // Notes when animation frames begin, until it is told to stop.
  watch.frames = () => {
    const frames = [];
    let on = true;
    const note = time => {
      frames.push(time);
      if (on) requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
    return () => { on = false; return frames; };
  };
  return watch;
})();
