// The API: sends changes to it, and says in the language of the page what was wrong with one.
import { body, language } from './page.js';

/**
 * The titles of problems in the language of the page, by the last part of their type, for details in another one. English needs
 * none.
 */
const titles = JSON.parse(body.dataset.problems || '{}');

/** Returns what the API says of a problem: in the language of the page, or in English behind a title. */
const problemOf = (answer, told) => {
  const own = answer.headers.get('Content-Language') === language;
  const sentences = (stop) => [told.detail, told.remedy].filter(Boolean).map((each) => each.replace(/[.。]$/, '') + stop);
  if (own && told.detail) return { title: sentences(body.dataset.stop).join(language === 'en' ? ' ' : '') };
  const title = titles[String(told.type).split(':').pop()];
  return { title: title ?? (told.detail ? '' : `${body.dataset.failed} (${answer.status})`), english: sentences('.').join(' ') };
};

/** Sends a change to the API. Returns its answer, or what went wrong. */
export const call = async (method, url, json, more) => {
  const headers = { Accept: 'application/json', 'Console-Language': language, ...more };
  if (body.dataset.csrf) headers['X-CSRF-TOKEN'] = body.dataset.csrf;
  if (json !== undefined) headers['Content-Type'] ??= 'application/json';
  try {
    const answer = await fetch(url, { method, headers, body: json });
    const told = await answer.json().catch(() => ({}));
    if (answer.ok) return { told };
    return { problem: problemOf(answer, told), errors: told.errors };
  } catch (failure) {
    return { problem: { title: body.dataset.failed, english: '' } };
  }
};

/** Sends changes one after the other. Returns which were made, and what was wrong with the first of the others. */
export const callAll = async (method, urls, json) => {
  const well = [];
  let refused = null;
  for (const url of urls) {
    const { problem } = await call(method, url, json);
    if (problem) refused = refused || problem;
    else well.push(url);
  }
  return { well, refused };
};
