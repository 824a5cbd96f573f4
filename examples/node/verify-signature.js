// Checks the signature of a task that Tandem has posted. Needs only Node.js.
//
// WEBHOOK_KEY=whsec_... node verify-signature.js ID TIMESTAMP SIGNATURE < BODY
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const TOLERANCE_SECONDS = 300;

/** Takes the key, the three headers and the bytes of the body, before anything has parsed them. */
export function isValid(key, id, timestamp, signatures, body) {
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) {
    return false; // A copy of an old request.
  }
  const secret = Buffer.from(key.slice('whsec_'.length), 'base64');
  const hmac = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body);
  const expected = Buffer.from(`v1,${hmac.digest('base64')}`);
  // While keys are changed there are two signatures. One of them has to fit.
  return signatures.split(' ').map((each) => Buffer.from(each))
    .some((each) => each.length === expected.length && timingSafeEqual(each, expected));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const valid = isValid(process.env.WEBHOOK_KEY, ...process.argv.slice(2, 5), readFileSync(0));
  console.log(valid ? 'valid' : 'invalid');
}
