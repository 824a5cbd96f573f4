// The chosen rows of a list.
import { content } from './page.js';

/** Returns the boxes of the chosen rows. */
export const picked = () => [...content.querySelectorAll('input[data-pick]:checked')];

/** Says how many rows are chosen, and shows what may be done to them. */
export const tellPicked = () => {
  const bar = document.getElementById('picked');
  if (!bar) return;
  bar.hidden = picked().length === 0;
  bar.firstElementChild.textContent = bar.dataset.text.replace('{picked}', picked().length);
};

document.addEventListener('change', (event) => {
  if (event.target.matches('input[data-pick-all]')) {
    for (const box of content.querySelectorAll('input[data-pick]')) box.checked = event.target.checked;
  }
  tellPicked();
});
