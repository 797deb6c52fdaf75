import { tool } from 'fwkit/mcp';
import { z } from 'zod';
import { License } from '../../../lib/license.js';

export default tool({
  title: 'Search licenses',
  description: 'Finds SPDX licenses by words in their identifier or name.',
  input: z.object({
    query: z.string().max(200).default('').describe('Words, such as "gnu affero"'),
    osiApproved: z
      .boolean()
      .optional()
      .describe('true: only licenses approved by the Open Source Initiative; false: only the others'),
    limit: z.int().min(1).max(50).default(10),
  }),
  output: z.object({ total: z.int(), licenses: z.array(License.extend({ uri: z.string() })) }),
  annotations: { readOnlyHint: true },
  handler({ query, osiApproved, limit }, { licenses }) {
    const found = licenses.search(query, osiApproved);
    const shown = found.slice(0, limit).map((license) => ({ ...license, uri: `license://${license.id}` }));
    return { total: found.length, licenses: shown };
  },
});
