/* base.js - the data of the page, numbers and elements; what every other script uses. */
const $ = id => document.getElementById(id);
/* JSON, compressed (deflated.c). */
async function inflate(text) {
  const zlib = new DecompressionStream('deflate'), to = zlib.writable.getWriter();
  to.write(Uint8Array.from(atob(text.trim()), c => c.charCodeAt(0)));
  to.close();
  return new Response(zlib.readable).json();
}
if (!window.DecompressionStream) $('answer').textContent = 'This page wants a browser of 2023 or later, which has DecompressionStream.';
const data = await inflate($('data').textContent);
/* Texts that stand once for all rows. */
for (const t of Object.values(data.tables))
  for (const r of t.words ? t.rows : [])
    for (const k of t.texts) if (r[k] !== null) r[k] = t.words[r[k]];
const count = n => n.toLocaleString('en-US');
const share = (n, all) => all ? (100 * n / all).toFixed(1) + ' %' : '-';
/* With a decimal, as printf has it: halves go to the even one. */
function tenth(n) {
  const all = n.toFixed(40), point = all.indexOf('.');
  return /^50*$/.test(all.slice(point + 2)) && all[point + 1] % 2 === 0 ? all.slice(0, point + 2) : n.toFixed(1);
}
/* The names of a column of functions, which has " < " between them, as no name has it. */
const functionNames = (text = '') => text.split(' < ').filter(f => f);
const seconds = cycles => {
  if (!data.hz) return count(cycles) + ' cycles';
  const s = cycles / data.hz;
  return s >= 1 ? s.toFixed(3) + ' s' : s >= 1e-3 ? (s * 1e3).toFixed(3) + ' ms'
    : (s * 1e6).toFixed(2) + ' us';
};
function make(tag, attributes, ...inside) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
  e.append(...inside);
  return e;
}
/* The 95 % interval of a share that so many samples found (Wilson), in words; "": it is no sampled one. */
function interval(n, all, period) {
  const of = Math.round(all / period), met = Math.round(n / period), z2 = 3.8416;
  if (!period || !of) return '';
  const p = met / of, middle = (p + z2 / (2 * of)) / (1 + z2 / of);
  const half = 1.96 / (1 + z2 / of) * Math.sqrt(p * (1 - p) / of + z2 / (4 * of * of));
  return ' (about ' + count(met) + ' samples: ' + (100 * Math.max(middle - half, 0)).toFixed(1) + ' to ' +
    (100 * Math.min(middle + half, 1)).toFixed(1) + ' %)';
}
/* A table as objects, a row each; one of the data. */
const objects = t => t ? t.rows.map(r => Object.fromEntries(t.columns.map((c, k) => [c, r[k]]))) : [];
const rows = (name, of = data.tables) => objects(of[name]);
/* Told apart by people who see few colours, after Okabe and Ito: cool ones for work, warm ones for
   idle time, which is striped besides. */
const working = ['#56b4e9', '#0072b2', '#009e73', '#cab2d6', '#a6cee3', '#cc79a7', '#b2df8a', '#999999'];
const idling = ['#d55e00', '#e69f00', '#f0e442', '#fdbf6f', '#cc79a7', '#999999'];
const states = {
  user: ['U', '#56b4e9'], system: ['s', '#009e73'], spinning: ['*', '#d55e00'],
  runnable: ['r', '#f0e442'], lock: ['L', '#e69f00'], queue: ['q', '#cc79a7'],
  barrier: ['b', '#cab2d6'], io: ['d', '#b8860b'], page: ['p', '#b2df8a'],
  timer: ['t', '#bbbbbb'], stopped: ['x', '#888888']
};
const other = ['x', '#888888'];
/* What a CPU was idle for (idle:lock, ...): the state's colours, striped. */
const idle = {
  scheduler: states.runnable, 'not-allowed': ['m', '#a98fd1'], deadlock: ['D', '#fb9a99'],
  'not-born': ['n', ''], 'too-few': ['f', ''], 'no-more': ['e', ''], unknown: ['?', '']
};
const idleLook = state => idle[state.slice(5)] || states[state.slice(5)] || idle.unknown;

/* ---- a hint beside the pointer ---- */
function tip(text, x, y) {
  const t = $('tip');
  t.style.display = text ? 'block' : 'none';
  if (!text) return;
  t.textContent = text;
  t.style.left = Math.max(4, Math.min(x + 14, innerWidth - t.offsetWidth - 8)) + 'px';
  t.style.top = (y + 18 + t.offsetHeight > innerHeight ? y - t.offsetHeight - 8 : y + 18) + 'px';
}
