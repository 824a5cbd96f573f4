// Exports: saves all pages of a list of the API as one file.
import { isBusy, whileBusy } from './busy.js';
import { send, toast } from './messages.js';
import { inNumbers } from './page.js';

/** The most requests of an export, each for 1,000 entries. */
const mostRequests = 100;

const save = (file, text) => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};

/** Saves all pages of a list of the API as one. Without the script, the link has the first of them. */
document.addEventListener('click', async (event) => {
  const link = event.target.closest('a[data-export]');
  if (!link || isBusy() || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  await whileBusy(async () => {
    const entries = [];
    let next = null;
    for (let request = 0; request < mostRequests && (next || request === 0); request++) {
      const page = await send('GET', link.getAttribute('href') + (next ? '&cursor=' + encodeURIComponent(next) : ''));
      if (!page) return;
      entries.push(...page.entries);
      next = page.next;
    }
    save(link.dataset.export, JSON.stringify({ entries, next: next ?? undefined }, null, 1));
    toast((next ? link.dataset.more : link.dataset.done).replace('{number}', inNumbers(entries.length)), false);
  });
});
