// The keys that lead to the search.

document.addEventListener('keydown', (event) => {
  const writes = event.target.closest('input, select, textarea, [contenteditable]');
  const asked = (event.key === 'k' && (event.ctrlKey || event.metaKey))
    || (event.key === '/' && !writes && !event.ctrlKey && !event.metaKey && !event.altKey);
  const find = document.getElementById('find');
  if (!asked || !find) return;
  event.preventDefault();
  find.select();
  find.focus();
});
