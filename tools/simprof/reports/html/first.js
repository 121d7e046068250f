/* ---- the first screen ---- */
function answer() {
  const f = data.first;
  /* A number and its % are one word. */
  for (const k of ['before', 'after', 'brings', 'why']) f[k] = f[k].replaceAll(' %', '\u00a0%');
  $('answer').append(f.before, make('b', f.gap ? { class: 'idle' } : {}, f.name), f.after);
  if (f.badge) $('brings').append(make('span', { class: 'badge' }, f.badge), ' ');
  $('brings').append(f.brings);
  if (f.try) $('brings').append(' ', make('code', {}, f.try));
  if (f.why) $('brings').append(make('div', {}, f.why));
}
const COMPLETE = 'instructions complete'; /* has always the first colour */
function whole() {
  const bar = make('div', { class: 'bar', role: 'img', 'aria-label': 'all cycles of all CPUs' });
  const key = make('div', { class: 'key' }), all = data.first.total;
  let small = 0;
  let works = 0, idles = 0;
  data.first.bar.forEach(([name, n, idle]) => {
    const s = make('span', {}, make('b', {}, name)), p = share(n, all), i = make('i', {}, '\u00a0');
    const colour = idle ? idling[Math.min(idles++, idling.length - 1)]
      : name === COMPLETE ? working[0] : working[Math.min(++works, working.length - 1)];
    const fill = idle
      ? 'repeating-linear-gradient(135deg, ' + colour + ' 0 5px, #fff 5px 7px)' : colour;
    s.style.width = 100 * n / all + '%';
    s.style.background = i.style.background = fill;
    s.title = name + ': ' + count(n) + ' cycles, ' + p;
    bar.append(s);
    if (n / all >= .01) key.append(make('span', {}, i, name + ' ' + p));
    else small += n;
  });
  if (small) key.append('the rest ' + share(small, all));
  if (all) $('whole').append(bar, key);
  /* A name that has no room is in the key alone. */
  const fit = () => bar.querySelectorAll('b').forEach(b => {
    b.style.visibility = b.offsetWidth + 24 > b.parentNode.clientWidth ? 'hidden' : '';
  });
  fit();
  addEventListener('resize', fit);
}

/* The line itself. */
function where() {
  const f = data.first, about = data.source;
  if (!f.line) return;
  $('where').append(make('div', { class: 'say' }, f.line +
    (about ? '' : ': the file was not found when this page was written (--source-path=DIR)')));
  if (!about) return;
  const text = make('pre', { 'aria-label': about.line });
  about.text.forEach((t, k) => {
    const here = about.line.endsWith(':' + (about.first + k));
    text.append(make(here ? 'mark' : 'span', {},
      (here ? '> ' : '  ') + String(about.first + k).padStart(4) + '  ' + t), '\n');
  });
  $('where').append(text);
}

/* One wait: the idle CPU and each thread behind it, in time. */
const space = 'http://www.w3.org/2000/svg';
function shape(svg, tag, attributes, text) {
  const e = document.createElementNS(space, tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = text;
  svg.append(e);
  return e;
}
function laneOf(part) {
  const t = data.wait, is = Object.fromEntries(t.columns.map((c, k) => [c, k]));
  const number = (part.name.match(/^(?:CPU|thread) (\d+)$/) || [])[1], steps = [];
  let id = null;
  for (const r of t.rows) {
    const cpu = r[is.what] === 'cpu';
    const mine = cpu ? part.name === 'CPU ' + r[is.number]
      : r[is.name] === part.name || part.name === r[is.name] + ' ' + r[is.number] || (number !== undefined && part.name[0] === 't' && r[is.number] === +number);
    if (!mine || (id !== null && id !== r[is.number])) continue;
    id = r[is.number];
    const n = Math.round((r[is.from_cycle] - t.from) / t.step);
    (steps[n] = steps[n] || {})[r[is.state]] = r[is.cycles];
  }
  return steps;
}
/* Stripes of a colour as a fill of the picture: its name. */
function striped(svg, colour) {
  const id = 'stripes' + (colour || '#999999').slice(1);
  if (!svg.querySelector('#' + id)) {
    const p = shape(svg, 'pattern', { id, width: 7, height: 7, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' });
    shape(p, 'rect', { width: 7, height: 7, fill: '#fff' });
    shape(p, 'rect', { width: 5, height: 7, fill: colour || '#999999' });
  }
  return id;
}
function wait() {
  const f = data.first, t = data.wait;
  if (!f.chain) return;
  const at = f.chain.indexOf(' on: ');
  if (!t || !f.parts || at < 0) { $('wait').append(make('p', {}, f.chain)); return; }
  const width = Math.min(document.body.clientWidth - 32, 1368), left = 150, high = 24;
  const x = cycle => left + (cycle - t.from) / (t.to - t.from) * (width - left);
  const svg = document.createElementNS(space, 'svg'), [from, to] = f.gap.map(x);
  const all = f.parts.length * high + 6, seen = new Map();
  for (const [k, v] of Object.entries({ class: 'wait', role: 'img', 'shape-rendering': 'crispEdges', 'aria-label': f.chain,
    viewBox: '0 0 ' + width + ' ' + all, height: all })) svg.setAttribute(k, v);
  f.parts.forEach((part, k) => {
    const y = k * high + 3, steps = laneOf(part);
    shape(svg, 'text', { x: 2, y: y + 15, class: 'name' }, part.name);
    steps.forEach((of, n) => {
      const a = x(t.from + n * t.step), b = x(Math.min(t.from + (n + 1) * t.step, t.to));
      if (part.name.startsWith('CPU ')) {
        const is = most(Object.fromEntries(Object.entries(of).filter(([k]) => k !== 'busy')));
        if (is) {
          seen.set('idle', ['\u00a0', '']);
          shape(svg, 'rect', { x: a, y, width: b - a + .3, height: high - 3, fill: 'url(#' + striped(svg, idleLook(is)[1]) + ')' });
        }
        if (!of.busy) return;
        seen.set('busy CPU', ['\u00a0', '#0072b2']);
        const h = (high - 4) * of.busy / t.step;
        shape(svg, 'rect', { x: a, y: y + high - 4 - h, width: b - a, height: h, fill: '#0072b2' });
      } else {
        const look = states[most(of)] || other;
        seen.set(most(of), look);
        shape(svg, 'rect', { x: a, y, width: b - a + .3, height: high - 3, fill: look[1] });
      }
    });
  });
  const box = f.parts.map((part, k) => shape(svg, 'rect', { x: from + 16, y: k * high + 5, height: 17, fill: '#fff' }));
  f.parts.forEach((part, k) => {
    const e = shape(svg, 'text', { x: from + 20, y: k * high + 18 }, part.words);
    box[k].setAttribute('width', part.words.length * 6.9 + 8);
    e.append(document.createElementNS(space, 'title'));
    e.lastChild.textContent = part.words;
  });
  for (const edge of [from, to])
    shape(svg, 'rect', { x: edge - 1, y: 0, width: 2, height: all, class: 'edge' });
  f.parts.slice(1).forEach((part, k) => {
    const y = k * high + 14;
    for (const d of ['M' + (from + 8) + ' ' + y + 'v' + high + 'm-4 -5l4 5l4 -5',
      'M' + (to - 8) + ' ' + (y + high) + 'v-' + high + 'm-4 5l4 -5l4 5'])
      for (const which of ['arrow under', 'arrow']) shape(svg, 'path', { d, class: which });
  });
  $('wait').append(make('p', {}, f.chain.slice(0, at + 4)), svg);
  const key = make('div', { class: 'key' });
  for (const [name, [letter, colour]] of seen) {
    const i = make('i', {}, letter);
    i.style.background = colour || 'repeating-linear-gradient(135deg, #999 0 2px, #fff 2px 4px)';
    key.append(make('span', {}, i, name));
  }
  for (const text of f.parts.length > 1 ? ['\u2193 waits for', '\u2191 lets go on'] : []) key.append(make('span', {}, text));
  $('wait').append(key);
}

/* Who comes next, and what could not be judged. */
function next() {
  const f = data.first, body = make('tbody');
  for (const n of f.next) {
    const bar = make('i', { class: 'share' });
    bar.style.background = 'linear-gradient(90deg, ' + (f.gap ? idling[1] : working[0]) + ' ' + n.percent +
      '%, var(--well) ' + n.percent + '%)';
    body.append(make('tr', {}, make('td', { class: 'number' }, n.percent.toFixed(1) + ' %'), make('td', {}, bar), make('td', { class: 'name' }, n.name),
      make('td', { class: 'say' }, (n.line ? '(' + n.line + ') ' : '') + n.does)));
  }
  if (f.next.length)
    $('next').append(make('div', { class: 'say' }, f.gap ? 'Next, of the idle time:' : 'Next, of all cycles:'),
      make('table', {}, body));
  if (f.open) $('next').append(make('div', {}, f.open));
}
