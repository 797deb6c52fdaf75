import { z } from 'zod';

export const License = z.object({
  /** An SPDX identifier: `MIT`, `GPL-3.0-only`. */
  id: z.string(),
  name: z.string(),
  /** Whether the Open Source Initiative has approved it. */
  osiApproved: z.boolean(),
});
export type License = z.infer<typeof License>;

export const Verdict = z.enum(['allowed', 'forbidden']);

/** The company's decision about a license. */
export const Decision = z.object({
  verdict: Verdict,
  why: z.string(),
  /** The person who decided. */
  by: z.string(),
  /** ISO 8601. */
  at: z.string(),
});
export type Decision = z.infer<typeof Decision>;

export const Id = z.string().min(1).max(80).describe('An identifier of SPDX, such as MIT or GPL-3.0-only');
