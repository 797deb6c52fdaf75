import { setTimeout } from 'node:timers/promises';
import { sse } from 'fwkit';

export default sse(async ({ send, signal }) => {
  for (let tick = 1; tick <= 10; tick += 1) {
    await send({ tick });
    await setTimeout(100, undefined, { signal }).catch(() => {});
  }
});
