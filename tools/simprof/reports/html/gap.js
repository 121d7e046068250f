/* ---- one idle gap ---- */
/* Rows of `gap`, the longest gap first: who waits, who wakes, the root. */
const gaps = [];
for (const r of rows('gap')) {
  if (r.role === 'idle') gaps.push({ cpu: +r.object.slice(4), from: r.from_cycle, to: r.to_cycle, why: r.why, chain: [] });
  else gaps[gaps.length - 1].chain.push(r);
}
let gapAt = null, jumped = null;
/* The longest of a CPU's that overlaps an interval. */
const gapIn = (cpu, from, to) => gaps.find(g => g.cpu === cpu && g.from < to && g.to > from);
const gapCommand = (cpu, from) => 'simprof gap --cpu=' + cpu + ' --from=' + from + ' ' + data.experiment;
function gapColumn(r) {
  const root = r.role === 'root', frames = make('ol');
  for (const f of functionNames(r.functions))
    frames.append(make('li', f === r.function ? { class: 'own' } : {}, f));
  const long = seconds(r.to_cycle - r.from_cycle);
  return make('div', { class: root ? 'root' : '' },
    make('b', {}, (root ? 'root: ' : '') + (r.name || '') + (root ? '' : ' ' + r.role)),
    make('div', { class: 'say' }, r.role === 'wakes it' ? 'at ' + seconds(r.from_cycle)
      : long + ': ' + r.state + (r.object ? ' ' + r.object : '')),
    frames, make('div', { class: 'say' }, r.line || ''));
}
/* Below the lanes; null: none. */
function showGap(g) {
  const e = $('gap');
  gapAt = g;
  e.textContent = '';
  if (g) {
    const root = g.chain.find(r => r.role === 'root');
    const saves = root && data.saves.find(s => s.state === root.state && s.function === (root.function || ''));
    const close = make('button', { class: 'small' }, 'close');
    close.onclick = () => { showGap(null); $('lanes').focus(); };
    e.append(make('p', {}, make('b', {}, 'CPU ' + g.cpu + ' was idle for ' + seconds(g.to - g.from) + ' from ' +
      seconds(g.from) + ' on (cycle ' + count(g.from) + '). '), g.why ||
      'Why is not known: no states of threads were recorded (simrun --switch-stacks).', ' ', close));
    if (saves && saves.badge)
      e.append(make('p', {}, make('span', { class: 'badge' }, saves.badge), ' ', saves.saves, ' ', make('code', {}, saves.try)));
    const of = make('div', { class: 'chain' });
    g.chain.forEach(r => of.append(gapColumn(r)));
    e.append(of, make('code', {}, gapCommand(g.cpu, g.from)));
    location.replace('#gap=' + g.cpu + ':' + g.from);
  }
  drawLanes();
}
function sayTime(text) {
  $('said').textContent = text;
}
/* What a click on a CPU's lane finds between two cycles. */
function clickCpu(cpu, from, to) {
  const g = gapIn(cpu, from, to);
  const known = g || of('idle').find(m => m.cpu === cpu && m.from_cycle < to && m.to_cycle > from);
  sayTime(g ? '' : known ? 'Not one of the ' + gaps.length + ' longest gaps, whose stacks this page has: ' +
    gapCommand(cpu, known.from_cycle) : cut.has('idle') ? 'Busy there, or idle for less than the ' + gaps.length +
    ' gaps whose stacks this page has: ' + gapCommand(cpu, Math.floor(from)) : 'CPU ' + cpu + ' was busy there.');
  showGap(g || null);
}

/* ---- what to jump to ---- */
const jumps = {
  idle: cut.has('idle') ? gaps.map(g => ({ from_cycle: g.from, to_cycle: g.to, cpu: g.cpu })).sort((x, y) => x.from_cycle - y.from_cycle)
    : of('idle'),
  convoy: of('convoy'), section: of('section')
};
{
  const sums = new Map();
  for (const e of jumps.section) {
    const s = sums.get(e.about) || [0, 0];
    sums.set(e.about, [s[0] + e.to_cycle - e.from_cycle, s[1] + 1]);
  }
  jumps.section = jumps.section.filter(e => (e.to_cycle - e.from_cycle) * sums.get(e.about)[1] >= 2 * sums.get(e.about)[0]);
}
const jumpName = { idle: 'idle gap', convoy: 'convoy', section: 'execution of what is probed twice as long as usual' };
function jump(what, back) {
  const list = jumps[what], here = first + view[0] * step;
  let at = jumped && jumped.what === what ? jumped.at + (back ? -1 : 1)
    : back ? list.findLastIndex(e => e.from_cycle < here) : list.findIndex(e => e.from_cycle >= here);
  const e = list[at];
  if (!e) {
    sayTime('No ' + (back ? 'earlier ' : 'later ') + jumpName[what] + (cut.has(what) ? ' in this page (it has not all: simprof moments)' : '') + '.');
    return;
  }
  jumped = { what, at };
  const steps = n => (n - first) / step, a = steps(e.from_cycle), b = steps(e.to_cycle);
  /* In sight, and wide enough to be seen? */
  if (a < view[0] || b > view[1] || b - a < (view[1] - view[0]) / 200) setView(a - (b - a) / 2, b + (b - a) / 2);
  sayTime((at + 1) + ' of ' + list.length + ': ' + jumpName[what] + (e.about ? ' of ' + e.about : '') + ' from cycle ' +
    count(e.from_cycle) + ' for ' + seconds(e.to_cycle - e.from_cycle) +
    (what === 'idle' && !gapIn(e.cpu, e.from_cycle, e.to_cycle) ? ': ' + gapCommand(e.cpu, e.from_cycle) : ''));
  if (what === 'idle') showGap(gapIn(e.cpu, e.from_cycle, e.to_cycle) || null);
}
const jumpKeys = { n: 'idle', k: 'convoy', t: 'section' };
