// One action at a time: a second one would ask in the dialog of the first.
import { body } from './page.js';

let acting = false;

export const isBusy = () => acting;

/** Carries out an action, and shows meanwhile that the page is busy. */
export const whileBusy = async (action) => {
  acting = true;
  body.setAttribute('aria-busy', 'true');
  try {
    await action();
  } finally {
    acting = false;
    body.removeAttribute('aria-busy');
  }
};
