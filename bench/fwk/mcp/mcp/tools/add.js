import { tool } from 'fwkit/mcp';
import * as z from 'zod';

export default tool({
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  handler: ({ a, b }) => String(a + b),
});
