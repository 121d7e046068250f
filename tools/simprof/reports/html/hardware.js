/* ---- instructions in the pipeline ---- */
const stages = [['fetched', 'f', '#dddddd'], ['dispatched', 'd', '#a6cee3'], ['executing', 'e', '#56b4e9'],
  ['finished', 'c', '#b2df8a']];
const reasons = { imiss: ['I', '#cc79a7'], fetch: ['B', '#cab2d6'], mispredict: ['X', '#e31a1c'], flush: ['R', '#fb9a99'],
  exception: ['Y', '#888888'], serial: ['S', '#f0e442'], io: ['O', '#0072b2'], tlb: ['T', '#fdbf6f'],
  snoop: ['N', '#b15928'], dmiss: ['M', '#d55e00'], store: ['W', '#e69f00'], unit: ['U', '#009e73'] };
const PIPED = 40; /* instructions at a time */
function drawPipe(all) {
  const svg = $('pipe-chart'), width = svg.clientWidth || 900, left = 420, high = 17, met = new Set();
  const from = Math.max(0, Math.min(all.length - 1, $('pipe-from').value - all[0].number)) || 0;
  const shown = all.slice(from, from + PIPED);
  const a = Math.min(...shown.map(i => i.fetch)), b = Math.max(...shown.map(i => i.complete)) + 1;
  const x = cycle => left + (cycle - a) / (b - a) * (width - left - 4);
  svg.textContent = '';
  svg.setAttribute('height', shown.length * high + 18);
  [0, 1, 2, 3, 4].forEach(k => shape(svg, 'text', { x: left + (width - left - 4) * k / 4, y: 12, class: 'name',
    'text-anchor': k === 4 ? 'end' : k ? 'middle' : 'start' }, count(Math.round(a + (b - a) * k / 4))));
  shown.forEach((i, k) => {
    const y = 18 + k * high, before = shown[k - 1];
    const line = i.file ? i.file.replace(/.*\//, '') + ':' + i.line : i.place;
    const span = (from, to, letter, colour) => {
      if (to <= from) return;
      shape(svg, 'rect', { x: x(from), y: y + 1, width: Math.max(x(to) - x(from), 1), height: high - 2, fill: colour });
      if (x(to) - x(from) > 12) shape(svg, 'text', { x: (x(from) + x(to)) / 2 - 3, y: y + 13 }, letter);
    };
    shape(svg, 'text', { x: 2, y: y + 13, class: 'name' }, i.cpu + ' ' + i.instruction);
    if (!before || before.line !== i.line || before.file !== i.file)
      shape(svg, 'text', { x: 250, y: y + 13, class: 'name' }, line.slice(0, 25));
    [i.fetch, i.dispatch, i.issue, i.finish].forEach((at, s, all) =>
      span(at, s < 3 ? all[s + 1] : i.complete, stages[s][1], stages[s][2]));
    for (const w of i.waits ? i.waits.split('; ') : []) {
      const [, reason, begin, end] = w.match(/^(\S+) (\d+)-(\d+)$/) || [];
      if (!reasons[reason] || +end <= +begin) continue;
      met.add(reason);
      span(+begin, +end, ...reasons[reason]);
    }
    shape(svg, 'rect', { x: x(i.complete), y: y + 1, width: 3, height: high - 2,
      fill: i.ends === 'exception' ? 'var(--alarm)' : 'var(--ink)' });
    const row = shape(svg, 'rect', { x: 0, y, width, height: high, fill: 'transparent', class: 'row' });
    row.onpointermove = e => tip(i.pc + ' ' + i.instruction + ' (' + i.place + '), ' + i.unit + ': fetched ' +
      count(i.fetch) + ', dispatched ' + count(i.dispatch) + ', issued ' + count(i.issue) + ', finished ' +
      count(i.finish) + ', ' + i.ends + ' ' + count(i.complete) + (i.waits ? '; ' + i.waits : ''), e.clientX, e.clientY);
    row.onpointerleave = () => tip('');
  });
  $('pipe-key').textContent = '';
  for (const [name, letter, colour] of [...stages, ...[...met].map(r => [r, ...reasons[r]])]) {
    const i = make('i', {}, letter);
    i.style.background = colour;
    $('pipe-key').append(make('span', {}, i, name));
  }
}
function pipe() {
  const all = rows('pipe');
  if (!all.length) return;
  $('pipe').hidden = false;
  $('pipe-from').value = all[0].number;
  $('pipe-from').min = all[0].number;
  $('pipe-from').max = all[all.length - 1].number;
  $('pipe-from').oninput = () => drawPipe(all);
  $('pipe-chart').before(make('p', { class: 'say' }, make('code', {}, data.tables.pipe.command)));
  drawPipe(all);
  addEventListener('resize', () => drawPipe(all));
}

/* ---- lines of memory ---- */
const cpuColours = ['#56b4e9', '#e69f00', '#009e73', '#cc79a7', '#f0e442', '#0072b2', '#d55e00', '#999999'];
let showMemory = () => {};
function memory() {
  if (!rows('cache-lines').some(r => r.sharing !== 'held')) return;
  $('memory').hidden = false;
  $('memory-lines').before(make('p', { class: 'say', id: 'memory-of' }));
  showMemory = drawMemory;
  drawMemory();
}
/* Of a chosen interval those of stretches that end in it, as the report has them. */
function drawMemory() {
  const by = new Map(), body = make('tbody'), [from, to] = chosen ? chosen.map(n => edges[n]) : [data.from, Infinity];
  const last = !chosen || chosen[1] === edges.length - 1;
  for (const r of rows('cache-lines')) {
    if (r.sharing === 'held' || (chosen && (r.end < from || (r.end >= to && !last)))) continue;
    const id = r.stretch + ' ' + r.address;
    if (!by.has(id)) by.set(id, []);
    by.get(id).push(r);
  }
  for (const of of by.values()) {
    const cells = make('td', { class: 'name' }), sum = k => of.reduce((s, r) => s + r[k], 0);
    for (let w = 0; w < of[0].words.length; w++) {
      const writes = of.filter(r => 'wb'.includes(r.words[w])), is = make('i', {},
        writes.length > 1 ? '*' : writes.length ? String(writes[0].cpu) : of.some(r => r.words[w] === 'r') ? 'r' : '\u00a0');
      const part = 100 / writes.length;
      if (writes.length) is.style.background = 'linear-gradient(90deg, ' + writes.map((r, k) =>
        cpuColours[r.cpu % 8] + ' ' + part * k + '% ' + part * (k + 1) + '%').join(', ') + ')';
      cells.append(is);
    }
    body.append(make('tr', {}, make('td', {}, count(sum('taken'))), make('td', {}, count(sum('apart'))), make('td', {}, count(sum('cycles'))),
      make('td', {}, count(sum('loads'))), make('td', {}, count(sum('stores'))), cells,
      make('td', { class: 'name' }, of[0].sharing), make('td', { class: 'name' }, of[0].variable || ''),
      make('td', { class: 'name' }, of[0].address),
      make('td', { class: 'name' }, of.filter(r => r.state).map(r => r.state + r.cpu).join(' '))));
  }
  const head = make('tr', {}, ...['taken', 'falsely', 'cycles', 'loads', 'stores', 'words', 'sharing', 'variable', 'address', 'held']
    .map((k, n) => make('th', n < 5 ? {} : { class: 'name' }, k)));
  $('memory-lines').replaceChildren(by.size ? make('table', {}, make('thead', {}, head), body) : make('p', {}, 'No stretch ends here.'));
  $('memory-of').replaceChildren(make('b', {}, chosen ? 'Of cycles ' + count(from) + ' to ' + count(to) + '. ' : ''),
    make('code', {}, chosen ? commandOf('cache-lines', from, to) : data.tables['cache-lines'].command));
}
