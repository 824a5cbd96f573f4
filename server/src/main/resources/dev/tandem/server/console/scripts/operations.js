// Operations on many tasks: counts what one would take, and follows one until it is over.
import { call } from './api.js';
import { refresh } from './live.js';
import { linkTo, message, send } from './messages.js';
import { body, inNumbers } from './page.js';

const wait = (millis) => new Promise((resolve) => { setTimeout(resolve, millis); });

/** Returns the route of an operation. @param url the route that has begun it */
const routeOf = (url, operation) => `${url.split('?')[0]}/${encodeURIComponent(operation.operation)}`;

/** Counts the tasks that an operation would take, for ten seconds at most. Null if that failed. */
export const count = async (url) => {
  let operation = await send('POST', url + '&dry-run=true');
  const its = operation && routeOf(url, operation);
  for (let turn = 0; operation && !operation.ended && turn < 40; turn++) {
    await wait(250);
    operation = await send('GET', its);
  }
  if (its && !(operation && operation.ended)) call('POST', its + '/stop');
  return operation;
};

/** Returns what became of an operation that is over. */
const result = ({ state, changed, refused }) => body.dataset[`operation${state[0].toUpperCase()}${state.slice(1)}`]
  .replace('{changed}', inNumbers(changed)).replace('{refused}', inNumbers(refused));

/** The most polls of an operation: about ten minutes' worth, since the first ones follow each other faster. */
const mostTurns = 320;

/** Says that an operation has begun, with a link to its page, and what became of it once it is over. */
export const followOperation = async (url, begun, text) => {
  const its = routeOf(url, begun);
  const note = message(text, false);
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'close';
  close.textContent = '×';
  close.setAttribute('aria-label', body.dataset.close);
  close.addEventListener('click', () => note.remove());
  note.append(linkTo({ href: its.replace('/api/v1', ''), text: body.dataset.operationSee }), close);
  let operation = begun;
  for (let turn = 0; note.isConnected && !operation.ended && turn < mostTurns; turn++) {
    await wait(turn < 20 ? 500 : 2000);
    // A server that does not answer now may do so later.
    operation = (await call('GET', its)).told ?? operation;
  }
  if (operation.ended) {
    note.querySelector('span').textContent = result(operation);
    note.classList.toggle('bad', operation.state === 'failed' || operation.refused > 0);
    refresh();
  }
  setTimeout(() => note.remove(), 30000);
};
