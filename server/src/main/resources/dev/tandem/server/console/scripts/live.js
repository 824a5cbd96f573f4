// The life of a page: it follows what the server sends, and says if it is not up to date.
import { becomeChildren } from './changes.js';
import { drawAll } from './charts.js';
import { body, content } from './page.js';
import { tellPicked } from './picks.js';
import { tellTimes } from './times.js';

const liveState = document.getElementById('live-state');
let stream = null;
/** How often to look again for what is gone: a task may be on its way from one executor to another one. */
let looks = 6;
/** When the server was heard last, and since when the stream is broken. */
let heard = 0;
let broken = 0;

/** The server sends something every 16 seconds. A stream that ends by itself is open again after a second. */
const isStale = () => stream && (Date.now() - heard > 40000 || (broken && Date.now() - broken > 5000));

const hear = () => {
  heard = Date.now();
  broken = 0;
  liveState.textContent = '';
};

const show = (html) => {
  const wanted = document.createElement('main');
  wanted.innerHTML = html;
  becomeChildren(content, wanted);
  content.classList.remove('gone');
  drawAll();
  tellTimes(content);
  tellPicked();
};

/** Says what became of that which the page shows. What is shown stays, but for what could be done. */
const gone = (html) => {
  hear();
  rest();
  content.classList.add('gone');
  let notice = document.getElementById('gone');
  if (!notice) {
    notice = document.createElement('div');
    notice.id = 'gone';
    notice.className = 'gone-notice';
    notice.setAttribute('role', 'alert');
    content.prepend(notice);
  }
  notice.innerHTML = html;
  tellTimes(notice);
  if (looks-- > 0) setTimeout(follow, 10000);
  else content.removeAttribute('data-live');
};

/** Follows the page while it is in the foreground. */
export const follow = () => {
  if (stream || document.hidden || !content.hasAttribute('data-live')) return;
  stream = new EventSource(location.pathname + location.search);
  heard = Date.now();
  broken = 0;
  stream.addEventListener('content', (event) => {
    hear();
    looks = 6;
    show(event.data);
  });
  stream.addEventListener('gone', (event) => gone(event.data));
  stream.addEventListener('same', hear);
  stream.addEventListener('stale', () => {
    heard = Date.now();
    liveState.textContent = body.dataset.stale;
  });
  stream.addEventListener('error', () => {
    broken = broken || Date.now();
    if (stream && stream.readyState === EventSource.CLOSED) {
      liveState.textContent = body.dataset.stale;
      rest();
      setTimeout(follow, 10000);
    }
  });
};

const rest = () => {
  if (stream) stream.close();
  stream = null;
};

/** Shows the newest state at once. */
export const refresh = async () => {
  rest();
  follow();
  if (stream) return;
  const answer = await fetch(location.href, { headers: { Accept: 'text/html' } }).catch(() => null);
  const page = answer && answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : null;
  const now = page && page.getElementById('content');
  if (now) show(now.innerHTML);
  else liveState.textContent = body.dataset.stale;
};

document.addEventListener('visibilitychange', () => (document.hidden ? rest() : follow()));
window.addEventListener('pagehide', rest);
setInterval(() => {
  tellTimes(document);
  if (isStale()) liveState.textContent = body.dataset.stale;
}, 1000);
