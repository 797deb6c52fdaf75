import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { post } from 'fwkit';

/** Records each order, so that the benchmark detects repeated orders and orders without a response. */
export default post(async ({ body }) => {
  appendFileSync(process.env.ORDERS, `${body.id}\n`);
  if (body.pause > 0) await setTimeout(body.pause);
  return { id: body.id };
});
