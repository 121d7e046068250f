/* ---- time ---- */
const timeline = rows('timeline');
const lanes = [];
/* A thread without a name has its number for one. */
const laneName = r => r.what === 'cpu' ? 'CPU ' + r.number : (!r.name || r.name === '' + r.number ? 'thread' : r.name) + ' ' + r.number;
const runner = name => (/^\d+$/.test(name) ? 'thread ' : '') + name;
let step = data.step, first = data.from, steps = 0;
function readLanes() {
  const at = new Map();
  for (const r of timeline) {
    const id = r.what + r.number, n = Math.round((r.from_cycle - first) / step);
    if (!at.has(id)) {
      at.set(id, { is: r.what, number: r.number, steps: [], who: [], name: laneName(r) });
      lanes.push(at.get(id));
    }
    const lane = at.get(id);
    if (r.name && r.what !== 'cpu') lane.name = laneName(r);
    if (r.name && r.what === 'cpu') lane.who[n] = r.name;
    (lane.steps[n] = lane.steps[n] || {})[r.state] = r.cycles;
    steps = Math.max(steps, n + 1);
  }
  lanes.sort((a, b) => (a.is === b.is ? a.number - b.number : a.is === 'cpu' ? -1 : 1));
}
/* ---- another run beside this one ---- */
const old = data.base && data.base.timeline;
/* The cycle that a cycle of the other run stands beside (tools/simprof/scene/align.c). */
function alignAfter(cycle) {
  const p = data.base.align.pairs;
  let k = 0;
  while (k + 2 < p.length && p[k + 2] <= cycle) k += 2;
  return p[k + 1] + (k + 2 < p.length ? (cycle - p[k]) * (p[k + 3] - p[k + 1]) / (p[k + 2] - p[k]) : cycle - p[k]);
}
const atStep = (lane, n) => lane.old ? alignAfter(Math.min(old.from + n * old.step, old.to)) : first + n * step;
/* Each lane of the other run below that of this one, those that are in it alone at the end. */
function readOld() {
  if (!old) return;
  const at = new Map();
  for (const r of objects(old)) {
    const id = r.what + r.number, n = Math.round((r.from_cycle - old.from) / old.step);
    if (!at.has(id)) at.set(id, { is: r.what, number: r.number, steps: [], who: [], old: true, name: '' });
    const lane = at.get(id);
    lane.name = r.what === 'cpu' || r.name || !lane.name ? laneName(r) : lane.name;
    (lane.steps[n] = lane.steps[n] || {})[r.state] = r.cycles;
  }
  for (const lane of at.values()) {
    let k = lanes.findIndex(l => !l.old && l.is === lane.is && l.name === lane.name);
    if (k < 0 && lane.is === 'cpu') k = lanes.findLastIndex(l => l.is === 'cpu');
    lanes.splice(k < 0 ? lanes.length : k + 1, 0, lane);
  }
  if (data.whole) steps = Math.max(steps, Math.ceil((alignAfter(old.to) - first) / step));
  $('aligned').textContent = data.base.align.words + (data.base.align.differ === null ? '' : ' That is the dashed line.') + ' Below each lane, fainter: that of ' + data.base.experiment + '.';
}
/* Beside the lanes: graphs, locks, what happened. Each has a height and draws itself. */
const LEFT = 150, HIGH = 17, GRAPH = 34, TICKS = 14;
const graphs = [], happened = rows('moments');
const cut = new Set(happened.filter(e => e.about === '<more>').map(e => e.what));
const of = what => cut.has(what) ? [] : happened.filter(e => e.what === what && e.from_cycle !== null);
function readGraphs() {
  const reasons = rows('reasons'), counts = rows('counts').slice(1), total = rows('counts')[0] || {};
  const work = reasons.length ? Object.keys(reasons[0]).filter(k =>
    !['from_cycle', 'cycles', 'nap', 'off'].includes(k)) : [];
  const sums = Object.fromEntries(work.map(k => [k, reasons.reduce((t, r) => t + r[k], 0)]));
  work.sort((x, y) => (y === 'complete') - (x === 'complete') || sums[y] - sums[x]); /* colours as in the bar */
  if (reasons.length)
    graphs.push({ name: 'cycles by reason', high: GRAPH, bars: reasons.map(r => {
      let low = 0;
      return { from: r.from_cycle, parts: work.map((k, n) => {
        const part = [low / r.cycles, (low += r[k]) / r.cycles, working[Math.min(n, working.length - 1)]];
        return part;
      }), text: work.filter(k => r[k]).map(k => k + ' ' + count(r[k])).join(', ') + ' of ' + count(r.cycles) };
    }) });
  const curve = (name, value) => {
    const list = counts.map(r => [+r.from_cycle, value(r)]), most = Math.max(...list.map(v => v[1]));
    const say = n => name === 'IPC of busy CPUs' ? n.toFixed(2) : count(n);
    graphs.push({ name, most: 'to ' + say(most), high: GRAPH, bars: list.map(([from, n]) =>
      ({ from, parts: [[0, n / most, '#0072b2']], text: say(n) })) });
  };
  const busy = new Map(reasons.map(r => [r.from_cycle, r.cycles - (r.nap || 0) - (r.off || 0)]));
  if (total.excl_insn_completed)
    curve('IPC of busy CPUs', r => r.excl_insn_completed / (busy.get(+r.from_cycle) || Infinity));
  for (const k of Object.keys(total))
    if (k.startsWith('excl_') && total[k] > 0 && k !== 'excl_cycles') curve(k.slice(5), r => r[k]);
  const held = new Map();
  for (const e of of('hold')) held.set(e.about, (held.get(e.about) || 0) + e.to_cycle - e.from_cycle);
  for (const [name] of [...held].sort((x, y) => y[1] - x[1]).slice(0, 4))
    graphs.push({ name, high: HIGH, blocks: of('hold').filter(e => e.about === name),
      under: of('convoy').filter(e => e.about === name) });
  for (const name of ['interrupt', 'sample', 'mark'])
    if (of(name).length) graphs.push({ name, high: TICKS, ticks: of(name) });
    else if (cut.has(name)) graphs.push({ name, high: TICKS, ticks: [], more: true });
}
let view = [0, 1], chosen = null, drag = null;
/* Where an interval that is chosen may begin and end, in cycles: chosen has two indices of these. */
const edges = sliced ? sliced.edges
  : Array.from({ length: Math.ceil((data.to - data.from) / data.step) + 1 }, (_, n) => Math.min(data.from + n * data.step, data.to));
const edgeBelow = cycle => Math.max(edges.findLastIndex(e => e <= cycle), 0);
const edgeAbove = cycle => { const n = edges.findIndex(e => e >= cycle); return n < 0 ? edges.length - 1 : n; };
/* The slices that have any of some steps, or null. */
function slicesOf([from, to]) {
  const [a, b] = [edgeBelow(first + from * step), edgeAbove(first + to * step)];
  return b > a ? [a, b] : null;
}
const length = (n, lane = {}) => lane.old ? Math.min(old.step, old.to - (old.from + n * old.step)) : Math.min(step, data.to - (first + n * step));
function most(of) {
  let best = null;
  for (const k in of) if (!best || of[k] > of[best]) best = k;
  return best;
}
/* One of the graphs, from y on; x is of a cycle. Never more than a rectangle a pixel. */
function drawGraph(g, s, y, x, width, ink) {
  const clip = cycle => Math.max(LEFT, Math.min(width, x(cycle)));
  g.fillStyle = ink;
  g.fillText(s.name.slice(0, 22), 2, y + 12);
  if (s.most) { g.globalAlpha = .65; g.fillText(s.most, 2, y + 26); g.globalAlpha = 1; }
  if (s.more) { g.globalAlpha = .65; g.fillText('more than the page has room for: simprof moments', LEFT + 4, y + 11); g.globalAlpha = 1; }
  if (s.bars) {
    g.globalAlpha = .08;
    g.fillRect(LEFT, y + 1, width - LEFT, s.high - 3);
    g.globalAlpha = 1;
  }
  for (const b of s.bars || []) {
    const from = clip(b.from), wide = clip(b.from + data.graph) - from;
    for (const [low, top, colour] of b.parts) {
      const h = Math.round(top * (s.high - 3)) - Math.round(low * (s.high - 3));
      g.fillStyle = colour;
      if (wide > 0 && h > 0) g.fillRect(from, y + s.high - 2 - Math.round(top * (s.high - 3)), wide, h);
    }
  }
  for (const e of s.blocks || []) {
    const from = clip(e.from_cycle), wide = clip(e.to_cycle) - from;
    if (wide <= 0) continue;
    g.fillStyle = '#e69f00';
    g.fillRect(from, y + 1, Math.max(wide - 1, .5), s.high - 4);
    g.fillStyle = '#000';
    if (wide > 40) g.fillText(e.name.slice(0, Math.floor(wide / 7)), from + 3, y + 12);
  }
  g.fillStyle = '#b04a00';
  for (const e of s.under || []) {
    const from = clip(e.from_cycle), wide = clip(e.to_cycle) - from;
    if (wide > 0) g.fillRect(from, y + s.high - 2, wide, 2);
  }
  const each = (s.high - 2) / (data.cpus || 1), last = [];
  g.fillStyle = ink;
  for (const e of s.ticks || []) {
    const at = Math.round(x(e.from_cycle));
    if (at < LEFT || at > width || last[e.cpu] === at) continue;
    last[e.cpu] = at;
    g.fillRect(at, y + 1 + e.cpu * each, 1, Math.max(each, 1));
  }
}
/* Arrows from who wakes to who is woken, if there are few enough; calls of what is probed. */
function drawEvents(g, x, width, ink) {
  const yOf = new Map();
  lanes.forEach((l, k) => { if (l.is !== 'cpu' && !l.old) yOf.set(l.number, laneY(k)); });
  const inside = e => x(e.to_cycle) >= LEFT && x(e.from_cycle) <= width;
  const wakes = of('wake-up').filter(inside);
  g.fillStyle = g.strokeStyle = ink;
  for (const e of of('section').filter(inside)) {
    const y = yOf.get(e.thread), from = Math.max(x(e.from_cycle), LEFT);
    if (y !== undefined) g.fillRect(from, y + HIGH - 3, Math.max(Math.min(x(e.to_cycle), width) - from, 1), 2);
  }
  if (wakes.length * 10 > width - LEFT) return;
  for (const e of wakes) {
    const a = yOf.get(e.by), b = yOf.get(e.thread);
    if (a === undefined || b === undefined) continue;
    const to = x(e.to_cycle), at = b + HIGH / 2, up = b < a ? 4 : -4;
    g.beginPath();
    g.moveTo(x(e.from_cycle), a + HIGH / 2);
    g.lineTo(to, at);
    g.moveTo(to - 3, at + up);
    g.lineTo(to, at);
    g.lineTo(to + 3, at + up);
    g.stroke();
  }
}
/* The idle gap that is looked at, between two lines; lanes of others are faint. */
const inChain = lane => lane.old ? false : lane.is === 'cpu' ? lane.number === gapAt.cpu : gapAt.chain.some(r => r.thread === lane.number);
function drawGap(g, x, width, high) {
  if (!gapAt) return;
  g.fillStyle = '#d55e00';
  for (const cycle of [gapAt.from, gapAt.to])
    if (x(cycle) >= LEFT && x(cycle) <= width) g.fillRect(x(cycle) - 1, 0, 2, high);
}
/* A dashed line where two runs part. */
function drawParting(g, x, width, high, ink) {
  const at = data.base && data.base.align.differ;
  if (at === null || at === undefined || x(at) < LEFT || x(at) > width) return;
  g.fillStyle = ink;
  for (let y = 0; y < high; y += 6) g.fillRect(x(at), y, 1, 3);
}
/* CPUs, graphs, threads, from above. */
const cpuLanes = () => lanes.filter(l => l.is === 'cpu').length;
const graphsHigh = () => graphs.reduce((t, s) => t + s.high, 0);
const laneY = k => k * HIGH + (k >= cpuLanes() ? graphsHigh() : 0);
/* What is at a height: a lane, or a graph. */
function atY(y) {
  const above = cpuLanes() * HIGH;
  if (y < above) return { lane: lanes[Math.floor(y / HIGH)] };
  y -= above;
  for (const s of graphs) {
    if (y < s.high) return { graph: s };
    y -= s.high;
  }
  return { lane: lanes[cpuLanes() + Math.floor(y / HIGH)] };
}
/* Stripes of a colour, made once for each. */
const patterns = new Map();
function stripes(g, colour) {
  if (!patterns.has(colour)) {
    const c = make('canvas', { width: 6, height: 6 }), p = c.getContext('2d');
    p.strokeStyle = colour || '#999999';
    p.globalAlpha = colour ? 1 : .6;
    p.lineWidth = 2.5;
    for (const x of [-6, 0, 6]) { p.beginPath(); p.moveTo(x - 1, 7); p.lineTo(x + 7, -1); p.stroke(); }
    patterns.set(colour, g.createPattern(c, 'repeat'));
  }
  return patterns.get(colour);
}
/* What a CPU was idle for, behind how much of the step it was busy. */
function drawCpu(g, lane, n, of, from, wide, y) {
  const is = Object.keys(of).filter(k => k !== 'busy'), busy = of.busy || 0, h = (HIGH - 3) * busy / length(n, lane);
  if (is.length) {
    const [letter, colour] = idleLook(is.reduce((a, b) => of[b] > of[a] ? b : a));
    g.fillStyle = stripes(g, colour);
    g.fillRect(from, y + 1, wide, HIGH - 3);
    if (wide > 24 && !busy) {
      g.fillStyle = colour || '#999999';
      g.fillRect(from + wide / 2 - 6, y + 1, 12, HIGH - 3);
      g.fillStyle = '#000';
      g.fillText(letter, from + wide / 2 - 3, y + 12);
    }
  }
  g.fillStyle = '#0072b2';
  g.fillRect(from, y + HIGH - 2 - h, wide, h);
}
/* Steps in a row that one thread had nearly all of bear its name. */
function nameRunners(g, lane, y, at) {
  const who = n => lane.who[n] && lane.steps[n].busy > .9 * length(n, lane) ? lane.who[n] : null;
  for (let n = 0, end; n < lane.steps.length; n = end) {
    for (end = n + 1; end < lane.steps.length && who(n) && who(end) === who(n);) end++;
    const from = Math.max(at(n), LEFT), wide = Math.min(at(end), g.canvas.clientWidth) - from;
    if (!who(n) || wide < 24 || g.measureText(runner(who(n))).width > wide - 6) continue;
    g.fillStyle = '#fff';
    g.fillText(runner(who(n)), from + 3, y + 12);
  }
}
function drawLanes() {
  const c = $('lanes'), width = c.clientWidth, ratio = devicePixelRatio || 1;
  const high = lanes.length * HIGH + graphsHigh() + 20;
  c.style.height = high + 'px';
  c.width = width * ratio;
  c.height = high * ratio;
  const g = c.getContext('2d'), ink = getComputedStyle(document.body).color;
  g.scale(ratio, ratio);
  g.font = '11px ui-monospace, monospace';
  const x = n =>
    Math.round((LEFT + (n - view[0]) / (view[1] - view[0]) * (width - LEFT)) * ratio) / ratio;
  const xCycle = cycle => x((cycle - first) / step);
  let under = cpuLanes() * HIGH;
  for (const s of graphs) { drawGraph(g, s, under, xCycle, width, ink); under += s.high; }
  lanes.forEach((lane, k) => {
    const y = laneY(k);
    g.globalAlpha = gapAt && !inChain(lane) ? .25 : lane.old ? .6 : 1;
    g.fillStyle = ink;
    g.fillText(lane.old ? '  before' : lane.name.slice(0, 22), 2, y + 12);
    for (let n = lane.old ? 0 : Math.floor(view[0]); n < (lane.old ? lane.steps.length : Math.min(view[1], steps)); n++) {
      const of = lane.steps[n];
      if (!of) continue;
      const from = Math.max(xCycle(atStep(lane, n)), LEFT), wide = Math.max(Math.min(xCycle(atStep(lane, n + 1)), width) - from, 1 / ratio);
      if (from > width || xCycle(atStep(lane, n + 1)) < LEFT) continue;
      if (lane.is === 'cpu') { drawCpu(g, lane, n, of, from, wide, y); continue; }
      const s = most(of), look = states[s] || other;
      g.fillStyle = look[1];
      g.fillRect(from, y + 1, wide, HIGH - 3);
      if (wide > 9) {
        g.fillStyle = '#000';
        g.fillText(look[0], from + wide / 2 - 3, y + 12);
      }
    }
    if (lane.is === 'cpu') nameRunners(g, lane, y, n => xCycle(atStep(lane, n)));
  });
  g.globalAlpha = 1;
  drawEvents(g, xCycle, width, ink);
  drawGap(g, xCycle, width, high - 20);
  drawParting(g, xCycle, width, high - 20, ink);
  g.fillStyle = ink;
  for (let k = 0; k <= 5; k++) {
    const n = view[0] + (view[1] - view[0]) * k / 5;
    g.textAlign = k === 5 ? 'right' : k ? 'center' : 'left';
    g.fillText(seconds(first + n * step), x(n), high - 6);
  }
  g.textAlign = 'left';
  const band = drag || (chosen && chosen.map(n => (edges[n] - first) / step));
  if (band) {
    /* What is chosen keeps its colours, the rest fades. */
    const [from, to] = [x(Math.min(...band)), x(Math.max(...band))].map(n => Math.max(LEFT, Math.min(width, n)));
    g.globalAlpha = .6;
    g.fillStyle = getComputedStyle(document.body).backgroundColor;
    g.fillRect(LEFT, 0, from - LEFT, high - 20);
    g.fillRect(to, 0, width - to, high - 20);
    g.globalAlpha = 1;
    g.fillStyle = '#d55e00';
    for (const n of [from, to]) g.fillRect(n - 1, 0, 2, high - 20);
  }
}
/* What lies in the chosen steps, and the command that says more. The page's address keeps them:
   #FROM-TO, in cycles. */
function choose(steps) {
  const was = chosen;
  chosen = steps && slicesOf(steps);
  if (was || chosen) useChosen();
  location.replace('#' + (chosen ? chosen.map(n => edges[n]).join('-') : ''));
}
function useChosen() {
  sayChosen();
  drawLanes();
  showInterval(chosen);
}
function fromAddress() {
  const gap = location.hash.match(/^#gap=(\d+):(\d+)$/);
  if (gap && !(gapAt && gapAt.cpu === +gap[1] && gapAt.from === +gap[2])) {
    clickCpu(+gap[1], +gap[2], +gap[2] + 1);
    $('time').scrollIntoView();
  }
  const is = location.hash.match(/^#(\d+)-(\d+)$/);
  if (!is) return;
  const [a, b] = [edgeBelow(+is[1]), edgeAbove(+is[2])];
  if (b > a && (!chosen || a !== chosen[0] || b !== chosen[1])) {
    chosen = [a, b];
    useChosen();
  }
}
function sayChosen() {
  const e = $('chosen');
  e.textContent = '';
  if (!chosen) return;
  const [a, b] = chosen, from = edges[a], to = edges[b], sum = {}, cpus = data.cpus;
  const of = sliced ? sliced.states.slice(a, b) : lanes.flatMap(l => l.old ? [] : l.steps.slice(a, b));
  for (const o of of)
    for (const k in o || {}) sum[k] = (sum[k] || 0) + o[k];
  const busy = sum.busy || 0;
  delete sum.busy;
  for (const k in sum) if (k.startsWith('idle:')) delete sum[k];
  const parts = Object.entries(sum).sort((x, y) => y[1] - x[1]).map(([k, n]) => k + ' ' + count(n));
  const command = 'simprof causes --from=' + from + ' --to=' + to + ' ' + data.experiment;
  const copy = make('button', { class: 'small' }, 'copy');
  copy.onclick = () => navigator.clipboard && navigator.clipboard.writeText(command);
  e.append('Cycles ' + count(from) + ' to ' + count(to) + ' (' + seconds(to - from) + '): CPUs busy ' +
    share(busy, cpus * (to - from)) + '. Threads: ' + (parts.join(', ') || 'no states') + '. ',
    make('code', {}, command), ' ', copy);
}
function setView(from, to) {
  const wide = Math.max(Math.min(to - from, steps), .02);
  from = Math.max(0, Math.min(from, steps - wide));
  view = [from, from + wide];
  drawLanes();
}
function useLanes() {
  const c = $('lanes');
  const at = e => {
    const box = c.getBoundingClientRect();
    const n = view[0] + (e.clientX - box.left - LEFT) / (box.width - LEFT) * (view[1] - view[0]);
    return { n: Math.max(0, Math.min(steps, n)), ...atY(e.clientY - box.top), cycle: first + n * step,
      inside: e.clientX - box.left > LEFT };
  };
  let pressed = 0;
  c.onpointerdown = e => {
    if (!at(e).inside) return;
    drag = [at(e).n, at(e).n];
    pressed = e.clientX;
    c.setPointerCapture(e.pointerId);
  };
  c.onpointermove = e => {
    const p = at(e);
    if (drag) { drag[1] = p.n; drawLanes(); }
    const n = !p.lane ? -1 : p.lane.old ? p.lane.steps.findLastIndex((_, k) => atStep(p.lane, k) <= p.cycle) : Math.floor(p.n);
    const of = p.lane && p.inside && p.lane.steps[n];
    const near = (view[1] - view[0]) * step / 300;
    const bar = p.graph && p.inside && (p.graph.bars || []).find(b => p.cycle >= b.from && p.cycle < b.from + data.graph);
    const event = p.graph && p.inside && ((p.graph.blocks || []).find(b => p.cycle >= b.from_cycle && p.cycle < b.to_cycle) ||
      (p.graph.ticks || []).find(b => Math.abs(b.from_cycle - p.cycle) < near));
    if (bar) tip(p.graph.name + ' from cycle ' + count(bar.from) + ': ' + bar.text, e.clientX, e.clientY);
    else if (event) tip(event.what + ' ' + event.about + ', ' + event.name + ', from cycle ' + count(event.from_cycle) +
      (event.to_cycle > event.from_cycle ? ' for ' + count(event.to_cycle - event.from_cycle) : '') +
      (event.times ? ', ' + event.times + ' wait' : ''), e.clientX, e.clientY);
    else tip(of ? p.lane.name + (p.lane.old ? ' before' : p.lane.is === 'cpu' ? ' (click: why it was idle)' : '') + (p.lane.who[n] ? ', ' + runner(p.lane.who[n]) + ',' : '') + ' from cycle ' +
      count(p.lane.old ? old.from + n * old.step : first + n * step) + '\n' +
      Object.entries(of).map(([k, c]) => k + ' ' + share(c, length(n, p.lane))).join(', ') : '',
      e.clientX, e.clientY);
  };
  c.onpointerleave = () => tip('');
  c.onpointerup = e => {
    if (!drag) return;
    const a = Math.floor(Math.min(...drag)), b = Math.ceil(Math.max(...drag)), p = at(e);
    drag = null;
    jumped = null;
    if (Math.abs(e.clientX - pressed) < 4) {
      const pixel = (view[1] - view[0]) * step / (c.clientWidth - LEFT);
      if (p.lane && p.lane.is === 'cpu' && !p.lane.old) clickCpu(p.lane.number, p.cycle - pixel, p.cycle + pixel);
      else { showGap(null); choose(null); }
      return;
    }
    choose(b - a >= 1 && a < steps ? [a, Math.min(b, steps)] : null);
  };
  c.onwheel = e => { e.preventDefault(); zoom(e.deltaY < 0 ? .8 : 1.25, at(e).n); };
  const zoom = (by, n) => setView(n - (n - view[0]) * by, n + (view[1] - n) * by);
  c.onkeydown = e => {
    const wide = view[1] - view[0], middle = (view[0] + view[1]) / 2;
    const keys = {
      '+': () => zoom(.5, middle), '=': () => zoom(.5, middle), '-': () => zoom(2, middle),
      ArrowLeft: () => setView(view[0] - wide / 4, view[1] - wide / 4),
      ArrowRight: () => setView(view[0] + wide / 4, view[1] + wide / 4),
      Home: () => setView(0, steps),
      Enter: () => choose([Math.floor(view[0]), Math.ceil(view[1])]),
      Escape: () => {
        jumped = null;
        sayTime('');
        if (gapAt) { showGap(null); return; }
        setView(0, steps);
        choose(null);
      }
    };
    if (keys[e.key]) { keys[e.key](); e.preventDefault(); }
  };
}
function time() {
  readLanes();
  readOld();
  readGraphs();
  if (!lanes.length) { $('time').remove(); return; }
  for (const [k, [letter, colour]] of Object.entries(states)) {
    if (!timeline.some(r => r.state === k)) continue;
    const i = make('i', {}, letter);
    i.style.background = colour;
    $('states').append(make('span', {}, i, k));
  }
  for (const k of new Set(timeline.filter(r => r.state.startsWith('idle:')).map(r => idleLook(r.state)[1]))) {
    const i = make('i', {}, '\u00a0');
    i.style.background = 'repeating-linear-gradient(135deg, ' + (k || '#bbbbbb') + ' 0 2px, transparent 2px 4px)';
    if (!Object.values(states).some(s => s[1] === k && timeline.some(r => states[r.state] === s)))
      $('states').append(make('span', {}, i, k ? Object.keys(idle).find(s => idle[s][1] === k) || 'idle'
        : 'idle, no thread:' + Object.keys(idle).filter(s => !idle[s][1] && timeline.some(r => r.state === 'idle:' + s)).map(s => ' ' + idle[s][0] + ' ' + s).join()));
  }
  useLanes();
  setView(0, steps);
  fromAddress();
  addEventListener('hashchange', fromAddress);
  addEventListener('keydown', e => {
    const to = jumpKeys[e.key.toLowerCase()];
    if (!to || e.ctrlKey || e.metaKey || e.altKey || ['INPUT', 'SELECT'].includes(e.target.tagName)) return;
    $('lanes').focus();
    jump(to, e.shiftKey);
    e.preventDefault();
  });
  addEventListener('resize', drawLanes);
}
