// The messages of a page: what was done, what went wrong, how to take it back, and questions before it is done.
import { call, callAll } from './api.js';
import { refresh } from './live.js';
import { body } from './page.js';

const toasts = document.getElementById('toasts');

/** Returns a text, and behind it what the API says in English, if it does. */
export const saying = (text, english) => {
  const words = document.createElement('span');
  words.textContent = text;
  if (english) {
    const detail = document.createElement('span');
    detail.lang = 'en';
    detail.textContent = english;
    words.append(text ? ' ' : '', detail);
  }
  return words;
};

/** Shows a message until it is taken away. */
export const message = (text, bad, english) => {
  const element = document.createElement('div');
  element.className = bad ? 'toast bad' : 'toast';
  element.append(saying(text, english));
  toasts.append(element);
  return element;
};

/** Returns a link for a message. */
export const linkTo = ({ href, text }) => {
  const link = document.createElement('a');
  link.href = href;
  link.textContent = text;
  return link;
};

/**
 * Shows a message for some seconds.
 *
 * @param undo the requests that take it back
 * @param english what the API says of a problem, if the page has no words for it
 * @param link where more is seen of what was done, and its text
 */
export const toast = (text, bad, undo, english, link) => {
  const element = message(text, bad, english);
  if (link) element.append(linkTo(link));
  if (undo) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = body.dataset.undo;
    button.addEventListener('click', async () => {
      element.remove();
      const made = await callAll(undo.method || 'POST', undo.urls, undo.body || undefined);
      tellAll(undo.urls.length === 1 && made.refused ? '' : undo.done ?? '', undo.urls, made);
      refresh();
    });
    element.append(button);
  }
  setTimeout(() => element.remove(), undo || link ? 20000 : bad ? 15000 : 8000);
};

/** Asks whether something is meant. */
export const confirmed = (text, yes) => new Promise((resolve) => {
  const dialog = document.getElementById('confirm');
  document.getElementById('confirm-text').textContent = text;
  document.getElementById('confirm-yes').textContent = yes;
  dialog.returnValue = 'no';
  dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  dialog.showModal();
});

/** Sends a change to the API, and says what went wrong. Returns the answer; null if there is none. */
export const send = async (method, url, json) => {
  const { told, problem } = await call(method, url, json);
  if (problem) toast(problem.title, true, null, problem.english);
  return problem ? null : told;
};

/** Says how many of several changes were made. @param text with places for the numbers; may be empty */
export const tellAll = (text, all, { well, refused }, undo, link) => {
  const said = text.replace('{done}', well.length).replace('{picked}', all.length);
  if (refused) toast(`${said} ${refused.title}`.trim(), true, undo, refused.english, well.length > 0 && link);
  else if (said) toast(said, false, undo, undefined, link);
};
