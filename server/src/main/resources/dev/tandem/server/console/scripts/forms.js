// The forms: a new task, another payload, another time, another number of a limit. Says at each field what is wrong with it.
import { call } from './api.js';
import { isBusy, whileBusy } from './busy.js';
import { refresh } from './live.js';
import { confirmed, saying, send, toast } from './messages.js';
import { inNumbers } from './page.js';
import { undoOf } from './undo.js';

/** Says at a field what is wrong with it; at the end of the form, if it has no such field. An empty text takes it back. */
const tellWrong = (form, name, text, warned, english) => {
  const field = name && form.querySelector(`[name="${name}"]`);
  const place = field ? document.getElementById(name + '-problem') : form.querySelector('[data-problem]');
  place.replaceChildren(saying(text, english));
  place.hidden = !text && !english;
  place.classList.toggle('warned', !!warned);
  if (field && !place.hidden && !warned) field.setAttribute('aria-invalid', 'true');
  else field?.removeAttribute('aria-invalid');
};

const tellAllRight = (form) => {
  for (const { name } of form.elements) if (name && document.getElementById(name + '-problem')) tellWrong(form, name, '');
  tellWrong(form, null, '');
  tellUnknown(form);
};

/** Warns of a type for which no executor has a handler. */
const tellUnknown = (form) => {
  const type = form.querySelector('[data-unknown]');
  if (!type) return;
  const known = !type.value || [...type.list.options].some((option) => option.value === type.value);
  tellWrong(form, type.name, known ? '' : type.dataset.unknown.replace('{type}', type.value), true);
};

const isJson = (form, field) => {
  try {
    JSON.parse(field.value);
    return true;
  } catch (failure) {
    tellWrong(form, field.name, form.dataset.noJson.replace('{why}', failure.message));
    field.focus();
    return false;
  }
};

/** Returns the task that a form describes, as the API takes it; null if its payload is not what it is said to be. */
const taskOf = (form) => {
  const task = {};
  for (const { name, type, value } of form.elements) {
    if (!name || name === 'format' || value === '') continue;
    task[name] = type === 'datetime-local' ? new Date(value).toISOString() : value;
  }
  if (form.elements.format.value !== 'json') return task;
  if (task.payloadText !== undefined && !isJson(form, form.elements.payloadText)) return null;
  return { ...task, headers: { 'content-type': 'application/json' } };
};

/** A name for a request, so that it happens once even if its answer was lost. */
const freshKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const line = (text) => {
  const element = document.createElement('p');
  element.textContent = text;
  return element;
};

/** Says what was published, with a link to it if the caller may see it. */
const tellSent = (form, told) => {
  const said = line(form.dataset.done.replace('{id}', told.id) + ' ');
  if (form.dataset.tasks) {
    const link = document.createElement('a');
    // Lone dots would be steps within the path.
    link.href = form.dataset.tasks + encodeURIComponent(told.id) + (/^\.{1,2}$/.test(told.id) ? ';' : '');
    link.textContent = form.dataset.see;
    said.append(link);
  }
  form.querySelector('[data-sent]').replaceChildren(said, ...(told.warnings ?? []).map(line));
};

/** The latest request and its idempotency key. The same request again has the same key. */
let sent = {};

const submitTask = async (form) => {
  tellAllRight(form);
  const task = taskOf(form);
  if (!task) return;
  const json = JSON.stringify(task);
  if (sent.json !== json) sent = { json, key: freshKey() };
  const { told, problem, errors } = await call('POST', form.dataset.send, json, { 'Idempotency-Key': sent.key });
  if (problem) {
    const name = errors?.[0]?.pointer?.slice(1);
    tellWrong(form, name, problem.title, false, problem.english);
    form.querySelector(name ? `[name="${name}"]` : 'button')?.focus();
    return;
  }
  sent = {};
  tellSent(form, told);
};

const replacePayload = async (form) => {
  tellAllRight(form);
  const field = form.elements.payloadText;
  if (form.dataset.json && !isJson(form, field)) return;
  if (!(await confirmed(form.dataset.confirm, form.querySelector('button.primary').textContent))) return;
  const headers = { 'Content-Type': 'application/octet-stream', 'If-Match': form.dataset.etag };
  const { problem } = await call('PUT', form.dataset.send, field.value, headers);
  if (problem) tellWrong(form, field.name, problem.title, false, problem.english);
  else location.assign(form.dataset.next);
};

/** Gives a task the time of a form, by the clock of this browser. */
const reschedule = async (form) => {
  const at = new Date(form.elements.at.value).toISOString();
  const told = await send('POST', `${form.dataset.send}?at=${encodeURIComponent(at)}`);
  if (!told) return;
  form.reset();
  toast(form.dataset.done, false, undoOf(form.dataset, told));
  refresh();
};

/** Sets the number of a limit that still is as the page shows it. The button to undo it brings back what was in force before. */
const changeLimit = async (form) => {
  const wanted = {};
  for (const { name, type, value } of form.elements) if (name && value !== '') wanted[name] = type === 'number' ? Number(value) : value;
  const said = (text) => Object.entries({ ...JSON.parse(form.dataset.current), ...wanted }).reduce(
    (all, [name, value]) => all.replace(`{${name}}`, () => typeof value === 'number' ? inNumbers(value) : value), text);
  const { confirm: question, done, send: url } = form.dataset;
  if (!(await confirmed(said(question), form.querySelector('button').textContent))) return;
  const told = await send('PUT', url, JSON.stringify(wanted));
  if (told) {
    form.reset();
    form.closest('details').open = false;
    toast(said(done), false, undoOf(form.dataset, told));
  }
  refresh();
};

const forms = { reschedule, task: submitTask, payload: replacePayload, limit: changeLimit };

document.addEventListener('submit', async (event) => {
  const form = event.target.closest('form[data-form]');
  if (!form) return;
  event.preventDefault();
  if (isBusy()) return;
  await whileBusy(() => forms[form.dataset.form](form));
});

document.addEventListener('input', (event) => {
  if (event.target.matches('[data-unknown]')) tellUnknown(event.target.form);
});
