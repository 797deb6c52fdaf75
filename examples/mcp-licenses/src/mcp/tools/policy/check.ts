import { tool } from 'fwkit/mcp';
import { z } from 'zod';
import { Id } from '../../../lib/license.js';

export default tool({
  title: 'Check licenses',
  description:
    'Checks for each license, such as the licenses of all dependencies, whether the company allows it.',
  input: z.object({ ids: z.array(Id).min(1).max(500) }),
  output: z.object({
    results: z.array(
      z.object({
        id: z.string(),
        verdict: z.enum(['allowed', 'forbidden', 'undecided', 'unknown']),
        why: z.string().optional(),
      }),
    ),
  }),
  annotations: { readOnlyHint: true },
  handler({ ids }, { licenses, policy }) {
    const results = [...new Set(ids)].map((given) => {
      const license = licenses.find(given);
      if (!license) return { id: given, verdict: 'unknown' as const, why: 'SPDX has no such license.' };
      const decision = policy.of(license.id);
      return decision
        ? { id: license.id, verdict: decision.verdict, why: decision.why }
        : { id: license.id, verdict: 'undecided' as const };
    });
    return { results };
  },
});
