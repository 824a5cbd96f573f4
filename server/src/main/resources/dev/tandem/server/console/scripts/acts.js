// The buttons: asks what each needs to know, and sends its change to the API.
import { callAll } from './api.js';
import { isBusy, whileBusy } from './busy.js';
import { refresh } from './live.js';
import { confirmed, send, tellAll, toast } from './messages.js';
import { count, followOperation } from './operations.js';
import { body, inNumbers } from './page.js';
import { picked } from './picks.js';
import { askTime } from './time-question.js';
import { undoOf } from './undo.js';

/** Asks for the time that a button needs. Returns what the button asks for with it; null if no time was given. */
const timed = async (asked, label) => {
  if (asked.time === undefined) return asked;
  const all = asked.none !== undefined;
  const time = await askTime(asked.time.replace('{picked}', picked().length), all ? body.dataset.goOn : label);
  return time && {
    ...asked,
    url: all ? `${asked.url}&${time.query}` : asked.url,
    each: all ? asked.each : `${asked.each}?${time.query}`,
    confirm: asked.confirm?.replace('{time}', time.text),
  };
};

/** Asks whether a button is meant. One for many tasks says how many they are. */
const meant = async (asked, label) => {
  let { confirm: text } = asked;
  if (asked.none !== undefined) {
    const counted = await count(asked.url);
    if (!counted) return false;
    if (counted.ended && counted.matched === 0) {
      toast(asked.none, false);
      return false;
    }
    const number = inNumbers(counted.matched);
    text = text.replace('{matched}', counted.ended ? number : asked.atLeast.replace('{matched}', number));
  } else if (asked.each !== undefined && text) {
    text = text.replace('{picked}', picked().length);
  }
  return !text || confirmed(text, label);
};

/**
 * Returns the link to the tasks that died after the chosen ones, nothing for other acts. The times of all deaths are by one clock,
 * which may not be the server's. They are shown in whole milliseconds.
 */
const diedSince = ({ since, sinceText: text }, boxes) => {
  const deaths = since === undefined ? [] : boxes.map((box) => Date.parse(box.dataset.died)).filter(Number.isFinite);
  if (deaths.length === 0) return undefined;
  const parameters = new URLSearchParams({ state: 'dead', 'died-after': new Date(Math.max(...deaths) + 1).toISOString() });
  return { href: `${since}?${parameters}`, text };
};

/** Sends the change of a button, or one for each chosen row, and says what was done. Returns whether anything may have been. */
const perform = async (asked) => {
  const { method, url, each, done, none, undone, body: json } = asked;
  if (each === undefined) {
    const told = await send(method, url, json);
    if (!told) return false;
    if (none !== undefined) followOperation(url, told, done);
    else if (done) toast(done, false, undoOf(asked, told));
    return true;
  }
  const chosen = new Map(picked().map((box) => [box.dataset.pick + each, box.dataset.back]));
  const link = diedSince(asked, picked());
  const made = await callAll(method, [...chosen.keys()]);
  for (const box of picked()) box.checked = false;
  const backs = made.well.map((its) => chosen.get(its)).filter(Boolean);
  const undo = undone !== undefined && backs.length > 0 && { urls: backs, done: undone };
  tellAll(done, [...chosen.keys()], made, undo, link);
  return true;
};

document.addEventListener('click', async (event) => {
  const button = event.target.closest('button[data-url], button[data-each], button[data-language]');
  if (!button || isBusy()) return;
  if (button.dataset.language) {
    if (await send('POST', '/language/' + button.dataset.language)) location.reload();
    return;
  }
  const label = button.textContent;
  await whileBusy(async () => {
    const asked = await timed({ ...button.dataset }, label);
    if (asked && (await meant(asked, label)) && (await perform(asked))) refresh();
  });
});
