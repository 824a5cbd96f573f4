// Leases tasks of a queue and works on them. usage: pull-worker.js SERVER QUEUE [--until-idle]
//
// TANDEM_TOKEN has a token with the role worker. Needs Node.js 18 and nothing else.
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const [server, queue] = process.argv.slice(2);
const untilIdle = process.argv.includes('--until-idle');
const name = `${os.hostname()}-${process.pid}`;

const held = new Set(); // the leases of the tasks that we have
let stopping = false;

/** The task can never succeed. */
class Hopeless extends Error {}

/** Does the work, and returns the result. What it throws is the error of a failed attempt. */
async function handle(task) {
  const order = task.payload;
  if (!order || !order.order) {
    throw new Hopeless('the payload has no order');
  }
  if (order.flaky && task.attempt === 1) {
    throw new Error('this one fails the first time');
  }
  console.log(`done ${task.key} ${order.order}`);
  return { shipped: order.order };
}

/** Sends a request until there is an answer. The same one may be sent again: it is not done twice. */
async function say(verb, body, timeout = 30_000) {
  for (let pause = 500; ; pause = Math.min(2 * pause, 10_000)) {
    let reason;
    try {
      const answer = await fetch(`${server}/api/v1/queues/${queue}/pull/${verb}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          'Content-Type': 'application/json',
          Authorization: `Bearer ${process.env.TANDEM_TOKEN || ''}`,
        },
        signal: AbortSignal.timeout(timeout),
      });
      const json = await answer.json();
      if (answer.status !== 429 && answer.status !== 503) {
        return { status: answer.status, ...json };
      }
      reason = json.detail;
    } catch (error) {
      reason = error;
    }
    if (stopping && verb === 'lease') {
      return { status: 200, tasks: [] };
    }
    console.error(`${verb}: ${reason}, trying again`);
    await sleep(pause);
  }
}

async function end(verb, task, more = {}) {
  const had = held.delete(task.lease);
  const answer = await say(verb, { lease: task.lease, ...more });
  if (answer.status >= 300 && had) {
    // Somebody else has the task by now, or an operator has cancelled it.
    console.error(`${verb}: ${answer.detail}`);
  }
}

/** Extends all leases long before they run out. */
async function keep() {
  if (held.size > 0) {
    const answer = await say('extend', { leases: [...held].map((lease) => ({ lease })) });
    for (const lost of answer.lost || []) {
      held.delete(lost.lease);
    }
  }
}

async function workOn(task) {
  if (stopping || !held.has(task.lease)) {
    await end('release', task);
    return;
  }
  try {
    const result = await handle(task);
    await end('finish', task, { result });
  } catch (error) {
    if (error instanceof Hopeless) {
      console.error(`buried ${task.id ?? task.ref}: ${error.message}`);
      await end('bury', task, { reason: error.message });
    } else {
      console.error(`failed ${task.id ?? task.ref}: ${error.message}`);
      await end('fail', task, { error: String(error) });
    }
  }
}

async function main() {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      stopping = true;
    });
  }
  const timer = setInterval(() => keep().catch(console.error), 10_000);
  while (!stopping) {
    const wait = untilIdle ? '2s' : '20s';
    const answer = await say('lease', { max: 10, wait, leaseTime: '30s', worker: name }, 40_000);
    if (answer.status !== 200) {
      console.error(`lease: ${answer.detail}. ${answer.remedy}`);
      process.exitCode = 1;
      break;
    }
    answer.tasks.forEach((task) => held.add(task.lease));
    // They have different keys, so their order does not matter.
    await Promise.all(answer.tasks.map(workOn));
    if (untilIdle && answer.tasks.length === 0) {
      break;
    }
  }
  clearInterval(timer);
}

main();
