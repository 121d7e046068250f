/* ---- tables ---- */
/* How far a number that samples found may be off, with 95 %: of n of them 1.96 times the root of n.
   "": it is exact. Of a change those of both runs together. */
function about(column, row, at, columns) {
  const [, kind, name, which] = column.match(/^(excl|incl)_(.+?)(_before|_after|_change)?$/) || [];
  const period = data.periods[name], old = data.base && data.base.periods[name];
  if (!period || (which && !old)) return '';
  const of = k => row[columns.indexOf(kind + '_' + name + k)];
  const off = which === '_change' ? 1.96 * Math.sqrt(of('_before') * old + of('_after') * period)
    : 1.96 * Math.sqrt(row[at] * (which === '_before' ? old : period));
  if (!off) return '';
  return which === '_change' ? ' \u00b1' + count(Math.round(off))
    : ' \u00b1' + (off < row[at] ? Math.round(100 * off / row[at]) + ' %' : 'all');
}
function table(t) {
  const body = make('tbody'), head = make('tr');
  const isText = k => t.rows.some(r => typeof r[k] === 'string');
  /* Twelfths of cycles are for programs. */
  const order = [...t.columns.keys()].filter(k => t.columns[k] !== 'twelfths').sort((a, b) => isText(b) - isText(a));
  const show = () => {
    body.textContent = '';
    for (const r of t.rows)
      body.append(make('tr', {}, ...order.map(k => make('td', isText(k) ? { class: 'name' } : {},
        r[k] === null ? '' : typeof r[k] !== 'number' ? r[k] : /percent/.test(t.columns[k]) ? r[k].toFixed(1) : count(r[k]),
        make('span', { class: 'about' }, typeof r[k] === 'number' ? about(t.columns[k], r, k, t.columns) : '')))));
  };
  order.forEach(k => {
    const column = t.columns[k];
    const b = make('button', { title: 'order by this' }, column.replaceAll('_', ' '));
    b.onclick = () => {
      const is = isText(k);
      t.rows.sort((x, y) => (is ? String(x[k]).localeCompare(String(y[k])) : y[k] - x[k]));
      show();
    };
    head.append(make('th', isText(k) ? { class: 'name' } : {}, b));
  });
  show();
  return make('div', { class: 'scroll', tabindex: 0 }, make('table', {}, make('thead', {}, head), body));
}
/* What a chosen interval does not change says so. */
function ofAll() {
  const e = make('b', { class: 'whole' }, 'Not of the chosen cycles, of all. ');
  e.hidden = !chosen;
  return e;
}
/* ---- samples held against what is known ---- */
let showTrust = () => {};
function trust() {
  const judged = Object.keys(data.tables).filter(k => k.startsWith('truth:'));
  if (!judged.length) return;
  $('trust').hidden = false;
  for (const k of judged) $('judged').append(make('option', { value: k }, k.slice(6)));
  const show = () => {
    const name = $('judged').value, body = make('tbody'), percent = n => tenth(100 * n) + ' %';
    const slices = chosen || [0, edges.length - 1], [from, to] = slices.map(n => edges[n]);
    const cannot = sliced ? unjudged(name.slice(6), slices) : 'there are no slices of time';
    const all = !cannot ? objects(truthOf(name.slice(6), slices)) : chosen ? [] : rows(name);
    const most = Math.max(...all.filter(r => r.function[0] !== '<').map(r => Math.max(r.exact, r.found, r.high || 0)), 0) || 1;
    for (const r of all) {
      const spread = make('span', { class: 'spread' }), place = n => 100 * n / most;
      const mark = (from, to, high, colour, less) => {
        if (to > most) return;
        const i = make('i');
        i.style.cssText = 'left:calc(' + place(from) + '% - ' + less + 'px);width:max(' + place(to - from) + '%,' +
          (less ? 2 * less : 1) + 'px);height:' + high + 'px;top:' + (15 - high) / 2 + 'px;background:' + colour;
        spread.append(i);
      };
      const out = r.inside !== '1' && r.inside !== 1;
      mark(r.low, r.high, 5, '#56b4e9', 0);
      mark(r.found, r.found, 7, '#0072b2', 3);
      mark(r.exact, r.exact, 15, out ? 'var(--alarm)' : 'var(--ink)', 1);
      body.append(make('tr', {}, make('td', {}, percent(r.exact)), make('td', {}, percent(r.found)),
        make('td', {}, percent(r.low) + ' to ' + percent(r.high)), make('td', { class: 'name' }, spread),
        make('td', out ? { class: 'off' } : {}, out ? 'off' : ''), make('td', { class: 'name' }, r.function)));
    }
    const head = make('tr', {}, ...['exact', 'found', '95 %', '', '', 'function']
      .map((k, n) => make('th', n < 3 ? {} : { class: 'name' }, k)));
    $('trust-table').replaceChildren(make('p', { class: 'say' },
      make('b', {}, chosen ? 'Of cycles ' + count(from) + ' to ' + count(to) + (cannot ? ', which is not here: ' + cannot : '') + '. ' : ''),
      make('code', {}, chosen ? commandOf(name, from, to) : data.tables[name].command)),
      all.length ? make('div', { class: 'scroll', tabindex: 0 }, make('table', {}, make('thead', {}, head), body))
        : make('p', {}, chosen && cannot ? '' : 'No sample.'));
  };
  $('judged').onchange = show;
  showTrust = show;
  show();
}

/* ---- two runs ---- */
/* On the first screen: how much longer or shorter it took, and the function that changed most. */
function sayRuns() {
  const [was, is] = [data.base.to, data.to], most = rows('compare').find(r => r.function[0] !== '<');
  const signed = n => (n < 0 ? '\u2212' : '+') + count(Math.abs(n));
  $('brings').append(make('div', {}, 'Beside ' + data.base.experiment + ': ' + count(is) + ' cycles, before ' + count(was) + ' (' +
    (is < was ? '\u2212' : '+') + share(Math.abs(is - was), was) + ')' +
    (most && most.excl_exact_change ? '; of functions ' + most.function + ' changed most, by ' + signed(most.excl_exact_change) + ' cycles' : '') + '. ',
    make('a', { href: '#runs' }, 'Two runs')));
}
function runs() {
  if (!data.base) return;
  $('runs').hidden = false;
  if (!data.from && data.whole) sayRuns();
  $('compared').append(make('p', { class: 'say' }, data.base.experiment + ' (before, ' + seconds(data.base.to) + ') and ' +
    data.experiment + ' (after), what changed most first. A change that is smaller than what stands behind it may be ' +
    'chance; exact has none. '), make('code', {}, data.tables.compare.command), table(data.tables.compare));
  const first = rows('diff').filter(r => r.cycle_before !== null || r.cycle_after !== null)
    .sort((x, y) => Math.min(x.cycle_before ?? Infinity, x.cycle_after ?? Infinity) - Math.min(y.cycle_before ?? Infinity, y.cycle_after ?? Infinity))[0];
  $('parted').append(make('p', { class: 'say' }, first ? 'They part first in a record of the kind ' + first.kind + ', at cycle ' +
    count(Math.min(first.cycle_before ?? Infinity, first.cycle_after ?? Infinity)) + '. ' : 'They are the same, record by record. '),
    make('code', {}, data.tables.diff.command), table(data.tables.diff));
}

/* ---- the rest of the reports ---- */
function tables() {
  const titles = { functions: 'Functions: every cycle, and what it was spent on or lost to',
    locks: 'Locks', statistics: 'Threads: running and waiting', lines: 'Source lines', calls: 'Calls, counted exactly',
    info: 'The run' };
  if (!data.tables.causes.rows.length) $('why').remove();
  for (const name in titles) {
    const t = data.tables[name], head = make('h2', {}, titles[name]);
    if (!t || !t.rows.length) continue;
    if (['functions', 'locks', 'statistics'].includes(name)) $('tables').append(head, make('div', { id: name }));
    else $('tables').append(head, make('p', { class: 'say' }, ofAll(),
      make('code', {}, t.command), name === 'info' ? '' : ' The name of a column orders by it' +
        (name === 'lines' && Object.keys(data.periods).length > 1 ? ': by a counter of misses the loop that has most is first' : '') + '.'),
      table(t));
  }
  showInterval(chosen);
}
