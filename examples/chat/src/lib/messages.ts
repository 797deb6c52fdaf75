import { z } from 'zod';

/** A stored message. */
export const Line = z.object({
  by: z.string(),
  text: z.string(),
  /** ISO 8601. */
  at: z.string(),
});
export type Line = z.infer<typeof Line>;

/** Messages from a page. */
export const FromPage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('say'), text: z.string().trim().min(1).max(500) }),
  z.object({ type: z.literal('typing') }),
]);

/** Messages to a page. */
export const ToPage = z.discriminatedUnion('type', [
  /** `id` is the position from which to continue after a disconnection: `?after=<id>`. */
  z.object({ type: z.literal('line'), id: z.string(), line: Line }),
  z.object({ type: z.literal('here'), count: z.int() }),
  z.object({ type: z.literal('typing'), by: z.string() }),
  z.object({ type: z.literal('refused'), why: z.string() }),
]);
export type ToPage = z.infer<typeof ToPage>;
