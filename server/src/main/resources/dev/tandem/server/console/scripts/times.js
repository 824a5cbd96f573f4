// The times of a page: says how long ago they are.
import { language } from './page.js';

const units = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]];
const words = new Intl.RelativeTimeFormat(language, { numeric: 'always', style: 'short' });

/** Says how long ago the times of a part of the page are. The exact ones stay in their titles. */
export const tellTimes = (part) => {
  for (const element of part.querySelectorAll('time[data-relative]')) {
    const seconds = Math.round((Date.parse(element.dateTime) - Date.now()) / 1000);
    const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? units[3];
    const text = words.format(Math.trunc(seconds / size), unit);
    if (element.textContent !== text) element.textContent = text;
  }
};
