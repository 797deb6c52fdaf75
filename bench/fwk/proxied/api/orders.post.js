import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { post } from 'fwkit';

/** Writes down what it did, so that what was done twice, or done and not answered, is seen. */
export default post(async ({ body }) => {
  appendFileSync(process.env.ORDERS, `${body.id}\n`);
  if (body.pause > 0) await setTimeout(body.pause);
  return { id: body.id };
});
