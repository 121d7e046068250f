/* ---- the chosen interval: locks, threads, and what samples are held against ---- */
/* Of waits and holds those that have a part in it, as far as it goes; of takings those that begin in it. */
function locksOf(chosen) {
  const of = sliced.locks, [from, to] = chosen.map(n => edges[n]), FIELDS = 23, KINDS = 5;
  const sum = sums('sums', of.names.length * FIELDS, chosen, of);
  const locks = of.names.map(([lock, process, threads], k) => ({ lock, process, threads, path: 0,
    is: sum.slice(FIELDS * k, FIELDS * (k + 1)) }));
  /* The longest is none that adds up. */
  locks.forEach((l, k) => [2, 5, 8, 11, 14].forEach(f => l.is[f] = mostOf('sums', k * FIELDS + f, chosen, of)));
  for (let i = 0; i < of.spans.length; i += 3) {
    const kind = of.spans[i] % KINDS, begin = kind === 2 || kind === 4 ? of.spans[i + 1] : Math.max(of.spans[i + 1], from);
    const n = Math.min(of.spans[i + 2], to) - begin, is = locks[Math.floor(of.spans[i] / KINDS)].is;
    if (n <= 0 || begin < from) continue;
    is[3 * kind]++;
    is[3 * kind + 1] += n;
    is[3 * kind + 2] = Math.max(is[3 * kind + 2], n);
  }
  const path = of.legs ? pathOf(chosen, locks) : null;
  const known = locks.filter(l => l.is[0]).sort((x, y) => y.is[1] - x.is[1])
    .concat(locks.filter(l => !l.is[0] && l.is[6]).sort((x, y) => y.is[22] - x.is[22] || y.is[7] - x.is[7]));
  const taken = n => of.recorded ? n : null;
  return {
    columns: ['waits', 'waited', 'longest_wait', 'held', 'longest_held', 'holds', 'threads', 'holder_ran', 'holder_waited',
      'holder_no_cpu', 'hand_over', 'path', 'path_percent', 'taken', 'contended', 'all_held', 'all_longest', 'process',
      'read_waits', 'read_waited', 'read_longest_wait', 'read_taken', 'read_contended', 'read_held', 'read_longest', 'spun_for',
      'all_spun', 'lock'],
    rows: known.map(({ is, ...l }) => [is[0], is[1], is[2], is[4], is[5], is[3], l.threads, ...is.slice(17, 21), path === null ? null : l.path,
      path === null ? null : percent(l.path, path), taken(is[6]), taken(is[15]), taken(is[7]), taken(is[8]), l.process,
      is[9], is[10], is[11], taken(is[12]), taken(is[16]), taken(is[13]), taken(is[14]), taken(is[21]), taken(is[22]),
      l.lock])
  };
}
/* The cycles of the critical path that ends with the interval; those of locks are put into them. */
function pathOf([a, b], locks) {
  const { legs, last } = sliced.locks;
  if (!legs.begins) {
    legs.begins = [];
    for (let i = 0; i < legs.length; i += 4 + 2 * legs[i + 3]) legs.begins.push(i);
  }
  let path = 0;
  for (let n = last[b - 1]; n >= 0;) {
    const i = legs.begins[n];
    if (legs[i] < a) break;
    path += legs[i + 2];
    for (let k = 0; k < legs[i + 3]; k++) locks[legs[i + 4 + 2 * k]].path += legs[i + 5 + 2 * k];
    n = legs[i + 1];
  }
  return path;
}
/* The rows of the whole, each with what its threads did in the interval. */
function threadsOf(chosen) {
  const of = sliced.threads, TIMES = 7, FIELDS = TIMES + 1, sum = sums('sums', of.threads.length * FIELDS, chosen, of);
  const { columns } = data.tables.statistics, at = k => columns.indexOf(k);
  const whole = data.tables.statistics.rows, add = (to, k) => to.forEach((_, f) => to[f] += sum[FIELDS * k + f]);
  const rows = whole.map((r, n) => {
    const is = new Array(FIELDS).fill(0), number = r[at('number')];
    if (r[at('of')] === 'thread') add(is, of.threads.indexOf(number));
    else for (let k = n + 1; k < whole.length && (n === 0 || whole[k][at('of')] === 'thread'); k++)
      if (whole[k][at('of')] === 'thread') add(is, of.threads.indexOf(whole[k][at('number')]));
    const total = is.slice(0, TIMES).reduce((x, y) => x + y, 0), work = is[0] + is[1], row = [...r];
    is.slice(0, TIMES).forEach((c, f) => row[f] = c);
    row[at('work')] = work;
    row[at('wait')] = total - work;
    row[at('total')] = total;
    row[at('work_percent')] = percent(work, total);
    row[at('exact')] = Math.floor((is[TIMES] + 6) / 12);
    return row;
  });
  return { columns, rows };
}
/* As accuracy_wilson has it (tools/analysis/profile/accuracy.c). */
function wilson(p, all) {
  const z = 1.959964, middle = (p + z * z / (2 * all)) / (1 + z * z / all);
  const half = z * Math.sqrt(p * (1 - p) / all + z * z / (4 * all * all)) / (1 + z * z / all);
  return [middle > half ? middle - half : 0, middle + half < 1 ? middle + half : 1];
}
/* Why samples are not held against what is known, of an interval; "": they are. */
function unjudged(name, [a, b]) {
  const of = sliced.truth;
  return !of.judged.some(j => j[0] === name) ? 'the page has no samples of it by time'
    : (a === 0 && !of.begins) || (b === edges.length - 1 && !of.ends) ? 'the account has no interval that begins or ends there' : '';
}
/* Rows of `truth`, of a counter. */
function truthOf(name, chosen) {
  const of = sliced.truth, k = of.judged.findIndex(j => j[0] === name), mode = of.judged[k][1], by = new Map();
  const sum = sums('sums', of.functions.length * of.judged.length * 2, chosen, of);
  const place = f => { if (!by.has(f)) by.set(f, { f, exact: 0, met: 0 }); return by.get(f); };
  let met = 0, exact = 0;
  of.functions.forEach((f, n) => {
    const named = sum[(n * of.judged.length + k) * 2], hit = sum[(n * of.judged.length + k) * 2 + 1];
    if (!named && !hit) return;
    place(f).met += hit;
    met += hit;
    if (mode < 0) { place(f).exact += named; exact += named; }
  });
  if (mode >= 0) sums('account', sliced.cells.length / 3, chosen).forEach((n, c) => {
    const f = sliced.cells[3 * c + 1], system = sliced.functions[f] === '<napping>' || of.system[sliced.cells[3 * c + 2]];
    if (!n || sliced.functions[f] === '<parked>' || (mode && system !== (mode === 2))) return;
    place(f).exact += n;
    exact += n;
  });
  const rows = [...by.values()].sort((x, y) => y.exact - x.exact || x.f - y.f).slice(0, 30).map(r => {
    const is = r.exact / exact, [low, high] = wilson(r.met / met, met);
    return [is, r.met / met, low, high, is >= low && is <= high ? '1' : '0', sliced.functions[r.f]];
  });
  return { columns: ['exact', 'found', 'low', 'high', 'inside', 'function'], rows: met && exact ? rows : [] };
}
