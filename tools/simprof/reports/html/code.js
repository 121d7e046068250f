/* ---- source beside instructions ---- */
const codes = Object.keys(data.tables).filter(k => k.startsWith('disasm:')).map(k => k.slice(7));
const isReason = k => !/^(excl_|incl_|hot$|executions$|line$|address$|instruction$|source$)/.test(k);
/* What a row's cycles were spent on or lost to, dearest first. */
const reasonsOf = r => Object.keys(r).filter(k => isReason(k) && r[k] > 0).sort((x, y) => r[y] - r[x]);
function costBar(r, most, ranks) {
  const bar = make('span', { class: 'cost' }), all = r.excl_exact;
  bar.style.width = most ? 100 * all / most + 'px' : '0';
  for (const k of reasonsOf(r)) {
    const i = make('i');
    i.style.width = 100 * r[k] / all + '%';
    i.style.background = working[Math.min(ranks.indexOf(k), working.length - 1)];
    bar.append(i);
  }
  bar.title = reasonsOf(r).map(k => k + ' ' + count(r[k])).join(', ');
  return bar;
}
function codeTable(list, number, text, ranks) {
  const body = make('tbody'), most = Math.max(...list.map(r => r.excl_exact), 0);
  const counted = list.some(r => 'executions' in r);
  for (const r of list)
    body.append(make('tr', { 'data-line': r.line ?? '' }, make('td', {}, r.excl_exact ? count(r.excl_exact) : ''),
      ...(counted ? [make('td', {}, r.executions ? count(r.executions) : '')] : []),
      ...(ranks ? [make('td', { class: 'name' }, costBar(r, most, ranks)),
        make('td', { class: 'name about' }, reasonsOf(r).slice(0, 2).map(k => k + ' ' + share(r[k], r.excl_exact)).join(', '))] : []),
      make('td', {}, String(r[number] ?? '')), make('td', { class: 'name code' }, r[text] || '')));
  const head = make('tr', {}, ...['cycles', ...(counted ? ['executions'] : []), ...(ranks ? ['spent on, lost to', ''] : []), number, text]
    .map((k, n) => make('th', n && k !== number && k !== 'executions' ? { class: 'name' } : {}, k)));
  return make('div', { class: 'scroll side', tabindex: 0 }, make('table', {}, make('thead', {}, head), body));
}
function drawCode() {
  const name = $('code-of').value, commands = make('p', { class: 'say' }, ofAll());
  const lines = rows('source:' + name).filter(r => r.line !== null), insns = rows('disasm:' + name).filter(r => r.address);
  const sum = {};
  for (const r of insns) for (const k of reasonsOf(r)) sum[k] = (sum[k] || 0) + r[k];
  const ranks = Object.keys(sum).sort((x, y) => sum[y] - sum[x]), key = make('div', { class: 'key' });
  ranks.forEach((k, n) => {
    const i = make('i', {}, '\u00a0');
    i.style.background = working[Math.min(n, working.length - 1)];
    key.append(make('span', {}, i, k + ' ' + count(sum[k])));
  });
  for (const report of ['source:', 'disasm:']) commands.append(make('code', {}, data.tables[report + name].command), ' ');
  const sides = make('div', { class: 'sides' }, lines.length ? codeTable(lines, 'line', 'source', null) :
    make('p', { class: 'say' }, 'No lines: the file was not found when this page was written (--source-path=DIR), or it has none.'),
    codeTable(insns, 'address', 'instruction', ranks));
  /* A line and its instructions are shown together. */
  sides.onpointerover = e => {
    const row = e.target.closest('tr'), line = row && row.dataset.line;
    for (const r of sides.querySelectorAll('tr')) r.classList.toggle('same', !!line && r.dataset.line === line);
  };
  $('code-sides').replaceChildren(commands, key, sides);
}
function code() {
  if (!codes.length) return;
  $('code').hidden = false;
  for (const name of codes) $('code-of').append(make('option', {}, name));
  $('code-of').onchange = drawCode;
  drawCode();
}
