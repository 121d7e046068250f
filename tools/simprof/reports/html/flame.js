/* ---- the call tree ---- */
let nodes = [], top = 0;
function hue(name) {
  let h = 0;
  for (const ch of name) h = (h * 31 + ch.charCodeAt(0)) % 9973;
  return 'hsl(' + (18 + h % 42) + ' 85% ' + (62 + h % 17) + '%)';
}
/* Idle time as a tree: rows of causes, the outermost function first. */
function rootsTree(causes) {
  const all = { function: '<Total>', node: 0, parent: null, incl_idle: 0 }, tree = [all];
  for (const r of causes) {
    let at = all;
    all.incl_idle += r.cycles;
    for (const f of [...functionNames(r.functions).reverse(),
      '<' + r.what + (r.line ? ' ' + r.line : '') + '>']) {
      let n = tree.find(t => t.parent === at.node && t.function === f);
      if (!n) { n = { function: f, node: tree.length, parent: at.node, incl_idle: 0 }; tree.push(n); }
      n.incl_idle += r.cycles;
      at = n;
    }
  }
  return tree;
}
/* What may be a width: [which tree, its rows' column, the tree of the run to compare with]. */
const widths = [];
const before = data.base ? data.base.tables : {};
const differs = () => data.base && !ofInterval && $('differs').checked;
/* Trees of samples, of waits, of idle time by root; of all of the page, or of a chosen interval. */
let trees = [], ofInterval = false;
/* Rows as a tree of {function, size, below}: each row's own value at the end of its path, which
   begins at the leaf, or has no function twice, as is asked for. */
function flame(tree, metric, other) {
  const root = { function: '<Total>', size: 0, before: 0, below: [], node: 0, up: null }, all = [root];
  const children = new Map([[root, new Map()]]);
  const child = (at, f) => {
    let c = children.get(at).get(f);
    if (c) return c;
    c = { function: f, size: 0, before: 0, below: [], node: all.length, up: at };
    children.get(at).set(f, c);
    children.set(c, new Map());
    at.below.push(c);
    all.push(c);
    return c;
  };
  putPaths(tree, metric, (path, n) => path.reduce((at, f) => { at.size += n; return child(at, f); }, root).size += n);
  if (other) putPaths(other, metric, (path, n) =>
    path.reduce((at, f) => { at.before += n; return child(at, f); }, root).before += n);
  for (const n of all) n.below.sort((x, y) => y.size - x.size || y.before - x.before);
  return all;
}
/* Each row's own value and its path. */
function putPaths(tree, metric, put) {
  const leaves = $('leaves').checked, fold = $('fold').checked;
  const own = tree.map(n => n[metric] || 0);
  tree.forEach((n, k) => { if (k) own[n.parent] -= n[metric] || 0; });
  tree.forEach((n, k) => {
    if (!own[k]) return;
    let path = [];
    for (let i = k; i; i = tree[i].parent) path.unshift(tree[i].function);
    if (fold) {
      const kept = [];
      for (const f of path) {
        const at = kept.indexOf(f);
        if (at >= 0) kept.length = at;
        kept.push(f);
      }
      path = kept;
    }
    if (leaves) path.reverse();
    put(path, own[k]);
  });
}
/* From blue, what shrank by 5 % of all or more, over grey to orange. */
function change(now, was, whole) {
  const by = (now - was) / (.05 * Math.max(whole, 1)), part = Math.min(Math.abs(by), 1);
  const end = by > 0 ? [232, 123, 40] : [79, 168, 232];
  return 'rgb(' + end.map(c => Math.round(216 + part * (c - 216))).join(' ') + ')';
}
function drawTree() {
  const svg = $('tree'), word = $('find').value.toLowerCase(), metric = $('metric').value;
  const width = svg.clientWidth, high = 18, upwards = $('below').checked;
  const shown = n => n.function !== '<napping>' || $('idle').checked;
  const less = (n, k) => n[k] - (n.up ? 0 : n.below.reduce((t, c) => t + (shown(c) ? 0 : c[k]), 0));
  const size = n => less(n, 'size'), two = differs();
  /* Of two runs as wide as the larger, so that what is gone is seen, too. */
  const wides = new Map();
  for (const n of two ? [...nodes].reverse() : [])
    wides.set(n, Math.max(size(n), less(n, 'before'), n.below.filter(shown).reduce((t, c) => t + wides.get(c), 0)));
  const wideOf = two ? n => wides.get(n) : size;
  const root = nodes[top] || nodes[0], sum = wideOf(root), whole = size(nodes[0]), boxes = [];
  const all = Math.max(whole, less(nodes[0], 'before') || 0);
  const period = data.periods[metric.replace(/^\d+ incl_/, '')];
  let deepest = 0, found = 0;
  const put = (n, x, depth) => {
    const wide = wideOf(n) / sum * width;
    if (wide < .4) return;
    deepest = Math.max(deepest, depth);
    boxes.push([n, x, depth, wide]);
    for (const child of n.below.filter(shown)) {
      put(child, x, depth + 1);
      x += wideOf(child) / sum * width;
    }
  };
  const search = n => {
    if (n.function.toLowerCase().includes(word)) found += n.size;
    else n.below.filter(shown).forEach(search);
  };
  if (sum) put(root, 0, 0);
  svg.textContent = '';
  for (const [n, x, depth, wide] of boxes) {
    const y = (upwards ? deepest - depth : depth) * high;
    const hit = word && n.function.toLowerCase().includes(word);
    const label = n.function + ': ' + count(size(n)) + ', ' + share(size(n), whole) +
      interval(size(n), whole, period) + (two ? '; before ' + count(less(n, 'before')) : '');
    const r = shape(svg, 'rect', { x, y, width: wide, height: high - 1,
      fill: hit ? '#cc79a7' : two ? change(size(n), less(n, 'before'), all) : hue(n.function), tabindex: 0, role: 'button', 'aria-label': label });
    const go = () => { top = n.node === top ? 0 : n.node; drawTree(); };
    r.onclick = go;
    r.onkeydown = e => { if (e.key === 'Enter') go(); };
    r.onpointermove = e => tip(label, e.clientX, e.clientY);
    r.onpointerleave = () => tip('');
    if (wide > 30)
      shape(svg, 'text', { x: x + 3, y: y + 12 }, n.function.slice(0, Math.floor(wide / 6.8) - 1));
  }
  svg.setAttribute('height', (deepest + 1) * high);
  if (word) search(nodes[0]);
  $('found').textContent = word ? share(found, whole) : '';
  $('sum').textContent = count(whole) + ' ' + metric.replace(/^\d+ incl_/, '');
}
function newTree() {
  const [which, metric, other] = widths[$('metric').selectedIndex];
  nodes = flame(trees[which], metric, differs() && other);
  top = 0;
  drawTree();
}
function tree() {
  const others = [rows('calltree', before), rows('blocked', before), rootsTree(rows('causes', before))];
  const all = trees = [rows('calltree'), rows('blocked'), rootsTree(rows('causes'))];
  all.forEach((t, k) => {
    if (t.length < 2) return;
    for (const m of Object.keys(t[0]))
      if (m.startsWith('incl_') && !m.endsWith('_percent') && t[0][m] > 0) {
        widths.push([k, m, others[k]]);
        $('metric').append(make('option', { value: k + ' ' + m }, m.slice(5) + (k === 2 ? ' by root' : '')));
      }
  });
  if (data.base) {
    $('two').hidden = false;
    $('base').textContent = data.base.experiment;
    $('differs').checked = true;
  }
  if (!widths.length) { $('flame').remove(); return; }
  for (const id of ['metric', 'leaves', 'fold', 'differs']) $(id).onchange = newTree;
  for (const id of ['idle', 'below']) $(id).onchange = drawTree;
  $('find').oninput = drawTree;
  newTree();
  addEventListener('resize', drawTree);
  treeOf = (chosen, words) => {
    const calls = chosen && callsOf(chosen);
    trees = chosen ? [calls, calls, rootsTree(objects(causesOf(chosen)))] : all;
    ofInterval = !!chosen;
    $('two').hidden = !data.base || ofInterval;
    $('tree-of').textContent = words;
    newTree();
  };
}
/* Draws the tree of an interval, once there is one. */
let treeOf = () => {};
