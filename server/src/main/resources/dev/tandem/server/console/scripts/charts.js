// The charts: draws them, anew when their data or the width of the page change. The library is a script of its own.
import { body, content, inNumbers, language } from './page.js';

/* global uPlot */

const plots = new WeakMap();
const colours = ['--accent', '--bad', '--held'];

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const inUnit = (name, number) => body.dataset[name].replace('{0}', number);

/** Returns a number of milliseconds as people say it. */
const duration = (millis) =>
  millis >= 60000 ? inUnit('min', +(millis / 60000).toFixed(1)) : millis >= 1000 ? inUnit('s', +(millis / 1000).toFixed(2)) : inUnit('ms', +millis.toFixed(1));

const clock = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' });

/** Says the times of an axis, the first with its day. The library would say them as Americans do. */
const tellAxis = (plot, all, axis, space, step) => all.map((seconds, i) => {
  const date = new Date(seconds * 1000);
  return step >= 86400 ? day.format(date) : clock.format(date) + (i === 0 ? '\n' + day.format(date) : '');
});

/** Returns the place of the latest point at which a line is known; -1 if none is at any. */
const latest = ([, ...lines]) => Math.max(...lines.map((values) => values.findLastIndex((value) => value != null)));

/** Returns the value of a line that the legend shows: that under the pointer, or the latest one. @param at null without a pointer */
const shown = (plot, line, at) => plot.data[line][at ?? latest(plot.data)];

/** Draws the chart of an element, from the data of another one, which may be the same. */
export const draw = (element, from) => {
  const text = from.dataset.chart;
  if (plots.has(element) && element.dataset.chart === text) return;
  element.dataset.chart = text;
  element.setAttribute('aria-label', from.getAttribute('aria-label'));
  const { times, lines, unit } = JSON.parse(text);
  const data = [times, ...lines.map((line) => line.values)];
  const known = plots.get(element);
  if (known) {
    known.setData(data);
    return;
  }
  const said = (value) => value == null ? '–' : unit === 'ms' ? duration(value) : inNumbers(value);
  const moments = (seconds) => seconds == null ? '–' : moment.format(seconds * 1000);
  const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false }, font: '12px system-ui' };
  plots.set(element, new uPlot({
    width: element.clientWidth,
    height: 180,
    cursor: { drag: { x: false, y: false } },
    axes: [{ ...axis, values: tellAxis }, { ...axis, size: 64, values: (plot, values) => values.map(said) }],
    scales: { y: { range: (plot, least, most) => [0, most > 0 ? most * 1.1 : 1] } },
    series: [
      { label: body.dataset.time, value: (plot, value, line, at) => moments(shown(plot, line, at)) },
      ...lines.map((line, i) => ({ label: line.name, stroke: colour(colours[i]), width: 1.5, spanGaps: false, points: { show: false }, value: (plot, value, line, at) => said(shown(plot, line, at)) })),
    ],
  }, data, element));
};

export const drawAll = () => {
  for (const element of content.querySelectorAll('[data-chart]')) draw(element, element);
};

new ResizeObserver(() => {
  for (const element of content.querySelectorAll('[data-chart]')) {
    plots.get(element)?.setSize({ width: element.clientWidth, height: 180 });
  }
}).observe(content);
