/* ---- the chosen interval: what reports print of it, added up from slices of time ---- */
const sliced = data.slices;
/* By slice [number, how many, number, how many, ...] (slices.h). */
function unpack(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0)), all = [];
  let at = 0;
  const number = () => {
    let n = 0, by = 1, b;
    do { b = bytes[at++]; n += (b & 127) * by; by *= 128; } while (b > 127);
    return n;
  };
  while (at < bytes.length) {
    const of = [];
    let what = 0;
    for (let k = number(); k > 0; k--) of.push(what += number(), number());
    all.push(of);
  }
  return all;
}
const unpacked = new Map();
function unpackedOf(name, of) {
  if (!unpacked.has(of)) unpacked.set(of, {});
  const all = unpacked.get(of);
  return all[name] = all[name] || unpack(of[name]);
}
/* What slices a to b, without b, have of each number. */
function sums(name, size, [a, b], where = sliced) {
  const of = unpackedOf(name, where), sum = new Array(size).fill(0);
  for (let k = a; k < b; k++)
    for (let i = 0; i < of[k].length; i += 2) sum[of[k][i]] += of[k][i + 1];
  return sum;
}
/* The most that one of them has of a number. */
function mostOf(name, number, [a, b], where) {
  let most = 0;
  for (const list of unpackedOf(name, where).slice(a, b))
    for (let i = 0; i < list.length; i += 2) if (list[i] === number) most = Math.max(most, list[i + 1]);
  return most;
}
/* As lib/base/text.c has it. */
function percent(part, whole) {
  const tenths = whole ? Number((BigInt(part) * 1000n + BigInt(whole) / 2n) / BigInt(whole)) : 0;
  return (tenths >= 1000 && part < whole ? 999 : tenths) / 10;
}
const byText = (x, y) => x < y ? -1 : x > y ? 1 : 0;
/* Cells of a CPU are rounded down, then the largest remainders get what is missing
   (tools/analysis/profile/exact_cycles.c). */
function roundCells(twelfths) {
  const cycles = twelfths.map(n => Math.floor(n / 12)), cpus = [];
  for (let k = 0; k < twelfths.length; k++) (cpus[sliced.cells[3 * k]] = cpus[sliced.cells[3 * k]] || []).push(k);
  for (const of of cpus) {
    if (!of) continue;
    const sum = list => of.reduce((t, k) => t + list[k], 0);
    let missing = Math.floor(sum(twelfths) / 12) - sum(cycles);
    for (const k of [...of].sort((x, y) => twelfths[y] % 12 - twelfths[x] % 12 || x - y))
      if (missing-- > 0) cycles[k]++;
  }
  return cycles;
}
const FUNCTIONS = 200; /* rows, as the command has it */
function functionsOf(chosen) {
  const twelfths = sums('account', sliced.cells.length / 3, chosen), cycles = roundCells(twelfths);
  const fresh = name => ({ name, cycles: 0, twelfths: 0, parked: 0, by: [] }), total = fresh('<Total>'), by = new Map();
  const add = (row, k, reason) => {
    row.cycles += cycles[k];
    row.twelfths += twelfths[k];
    if (sliced.reasons[reason] === 'off') row.parked += cycles[k];
    row.by[reason] = (row.by[reason] || 0) + cycles[k];
  };
  twelfths.forEach((n, k) => {
    if (!n) return;
    const [f, reason] = [sliced.cells[3 * k + 1], sliced.cells[3 * k + 2]];
    if (!by.has(f)) by.set(f, fresh(sliced.functions[f]));
    add(by.get(f), k, reason);
    add(total, k, reason);
  });
  const list = [...by.values()].sort((x, y) => y.twelfths - x.twelfths || byText(x.name, y.name));
  if (list.length > FUNCTIONS) {
    const rest = fresh('<all others>');
    for (const r of list.splice(FUNCTIONS)) {
      rest.cycles += r.cycles;
      rest.twelfths += r.twelfths;
      rest.parked += r.parked;
      r.by.forEach((n, k) => { rest.by[k] = (rest.by[k] || 0) + n; });
    }
    list.push(rest);
  }
  const reasons = [...total.by.keys()].filter(k => total.by[k] && !['nap', 'off'].includes(sliced.reasons[k]))
    .sort((x, y) => total.by[y] - total.by[x] || x - y);
  return {
    columns: ['cycles', 'twelfths', 'percent', ...reasons.map(k => sliced.reasons[k]), 'function'],
    rows: [total, ...list].map(r => [r.cycles, r.twelfths, percent(r.cycles - r.parked, total.cycles - total.parked),
      ...reasons.map(k => r.by[k] || 0), r.name])
  };
}
/* Without the column of spins where no thread spun. */
function withoutSpins(t) {
  const spun = t.columns.indexOf('spun');
  if (spun < 0 || t.rows.some(r => r[spun])) return t;
  const rest = r => r.filter((_, k) => k !== spun);
  return { ...t, columns: rest(t.columns), rows: t.rows.map(rest) };
}
/* Rows of the same functions are one, with the line that has most of it (tools/analysis/causes/tally.c). */
function causesOf(chosen) {
  const by = new Map(), fresh = root => ({ cycles: 0, spun: 0, most: 0, line: '', what: sliced.roots[root][0], functions: sliced.roots[root][1] });
  const where = line => { const k = line.lastIndexOf(':'); return [line.slice(0, k), +line.slice(k + 1)]; };
  const byLine = (x, y) => byText(where(x)[0], where(y)[0]) || where(x)[1] - where(y)[1];
  /* The line of spins counts where nothing is idle. */
  const add = (name, charges, field) => {
    const idle = new Set([...by.keys()]);
    sums(name, charges.length / 2, chosen).forEach((n, k) => {
      if (!n) return;
      const root = charges[2 * k], line = sliced.lines[charges[2 * k + 1]], r = by.get(root) || fresh(root);
      r[field] += n;
      if (!idle.has(root) && (n > r.most || (n === r.most && byLine(line, r.line) < 0))) { r.most = n; r.line = line; }
      by.set(root, r);
    });
  };
  add('causes', sliced.charges, 'cycles');
  add('spins', sliced.charges_spins, 'spun');
  const total = [...by.values()].reduce((sum, r) => sum + r.cycles, 0);
  const byFunctions = (x, y) => {
    const [a, b] = [functionNames(x.functions), functionNames(y.functions)];
    for (let k = 0; k < Math.max(a.length, b.length); k++)
      if (a[k] !== b[k]) return byText(a[k] || '<Unknown>', b[k] || '<Unknown>');
    return 0;
  };
  return withoutSpins({
    columns: ['cycles', 'idle_percent', 'what', 'line', 'functions', 'spun'],
    rows: [...by.values()].sort((x, y) => sliced.apart.includes(x.what) - sliced.apart.includes(y.what) || y.cycles + y.spun - x.cycles - x.spun || sliced.whats.indexOf(x.what) - sliced.whats.indexOf(y.what) ||
      byFunctions(x, y) || byLine(x.line, y.line))
      .map(r => [r.cycles, percent(r.cycles, total), r.what, r.line, r.functions, r.spun])
  });
}
/* Rows as `calltree` has them, of the metrics that samples have, and of waits. */
function callsOf(chosen) {
  const { nodes, metrics } = sliced, count = nodes.length / 2;
  const own = sums('stacks', count * metrics.length, chosen), tree = [];
  for (let k = 0; k < count; k++)
    tree.push({ function: nodes[2 * k + 1] < 0 ? '<all others>' : sliced.functions[nodes[2 * k + 1]], node: k,
      parent: k ? nodes[2 * k] : null });
  metrics.forEach((name, m) => {
    for (let k = count - 1; k >= 0; k--) {
      tree[k]['incl_' + name] = (tree[k]['incl_' + name] || 0) + own[k * metrics.length + m];
      if (k) tree[tree[k].parent]['incl_' + name] = (tree[tree[k].parent]['incl_' + name] || 0) + tree[k]['incl_' + name];
    }
  });
  return tree;
}
/* The command of a table, for other cycles. */
function commandOf(name, from, to) {
  const words = data.tables[name].command.slice(0, -data.experiment.length).replace(/ --(from|to)=\d+/g, '');
  return words + (from ? '--from=' + from + ' ' : '') + (to < data.to || !data.whole ? '--to=' + to + ' ' : '') + data.experiment;
}
/* Tables and the call tree are of an interval from here on; null: of all that the page is of. */
function showInterval(chosen) {
  if (!sliced) return;
  const [from, to] = chosen ? chosen.map(n => edges[n]) : [data.from, data.to];
  const words = chosen ? 'Of cycles ' + count(from) + ' to ' + count(to) + '. ' : '';
  const show = (id, name, of) => {
    if (!$(id)) return;
    const command = chosen ? commandOf(name, from, to) : data.tables[name].command;
    $(id).replaceChildren(make('p', { class: 'say' }, make('b', {}, words), make('code', {}, command)),
      of.rows.length ? table(of) : make('p', {}, 'Nothing.'));
  };
  show('functions', 'functions', chosen ? functionsOf(chosen) : data.tables.functions);
  show('causes', 'causes', chosen ? causesOf(chosen) : withoutSpins(data.tables.causes));
  show('locks', 'locks', chosen ? locksOf(chosen) : data.tables.locks);
  show('statistics', 'statistics', chosen ? threadsOf(chosen) : data.tables.statistics);
  showTrust();
  showMemory();
  if ($('causes-text')) $('causes-text').textContent = chosen ? 'As text: ' + commandOf('causes', from, to) : data.chains;
  for (const e of document.querySelectorAll('.whole')) e.hidden = !chosen;
  treeOf(chosen, words);
}
