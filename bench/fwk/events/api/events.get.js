import { sse } from 'fwkit';
import { EVENTS } from '../../../lib/fixtures.js';

export default sse(async ({ send }) => {
  for (const event of EVENTS) await send(event);
});
