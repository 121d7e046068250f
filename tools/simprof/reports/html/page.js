/* ---- all of it ---- */
document.title = data.experiment + ' - simprof';
$('run').textContent = data.experiment + ': ' + data.image.replace(/\.[0-9a-f]{40}$/, '') + ', ' + data.cpus + ' CPU' +
  (data.cpus === 1 ? '' : 's') + ', cycles ' + count(data.from) + ' to ' + count(data.to) +
  ' (' + seconds(data.to - data.from) + ')' + (data.arguments ? ', arguments: ' + data.arguments : '');
answer();
whole();
where();
wait();
next();
time();
tree();
pipe();
memory();
trust();
runs();
tables();
code();
document.body.dataset.drawn = 'all';
