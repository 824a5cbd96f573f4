// The question for a time: one by the clock of the browser, or one from now on.
import { confirmed } from './messages.js';
import { language } from './page.js';

const timeAt = document.getElementById('confirm-at');
const timeIn = document.getElementById('confirm-in');
const timeUnit = document.getElementById('confirm-unit');
const unitNames = { m: 'minute', h: 'hour', d: 'day' };

/** Requires one of the two ways to say a time: whichever is filled in takes the place of the other. */
const requireTime = (given, other) => {
  if (given.value) other.value = '';
  timeAt.required = !timeIn.value;
  timeIn.required = !timeAt.value;
};

timeAt.addEventListener('input', () => requireTime(timeAt, timeIn));
timeIn.addEventListener('input', () => requireTime(timeIn, timeAt));
document.getElementById('confirm-time').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return;
  // The first button of the form, which this key means otherwise, says no.
  event.preventDefault();
  timeAt.form.requestSubmit(document.getElementById('confirm-yes'));
});

/** Asks for a time. Returns how the API and how people name it; null if none was given. */
export const askTime = async (text, yes) => {
  const part = document.getElementById('confirm-time');
  timeAt.value = timeIn.value = '';
  requireTime(timeAt, timeIn);
  part.hidden = part.disabled = false;
  const given = await confirmed(text, yes);
  part.hidden = part.disabled = true;
  if (!given) return null;
  if (timeAt.value) {
    const date = new Date(timeAt.value);
    return { query: 'at=' + encodeURIComponent(date.toISOString()), text: date.toLocaleString(language) };
  }
  const later = new Intl.RelativeTimeFormat(language, { numeric: 'always' });
  return { query: `delay=${timeIn.value}${timeUnit.value}`, text: later.format(+timeIn.value, unitNames[timeUnit.value]) };
};
