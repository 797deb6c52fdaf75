import { error } from 'fwkit';
import { prompt } from 'fwkit/mcp';
import { z } from 'zod';
import { Id } from '../../lib/license.js';

export default prompt({
  title: 'Compare two licenses',
  description: 'Compares two licenses for use in the same product.',
  input: z.object({ first: Id, second: Id }),
  complete: {
    first: (prefix, { licenses }) => licenses.beginningWith(prefix),
    second: (prefix, { licenses }) => licenses.beginningWith(prefix),
  },
  async handler({ first, second }, { licenses }) {
    const texts = await Promise.all(
      [first, second].map(async (id) => {
        const license = licenses.find(id);
        if (!license) throw error(404, `SPDX has no license "${id}".`);
        const text = await licenses.text(license);
        const uri = `license://${license.id}`;
        return {
          role: 'user' as const,
          content: { type: 'resource' as const, resource: { uri, mimeType: 'text/plain', text } },
        };
      }),
    );
    const question = `Compare ${first} and ${second}: what does each permit, require and forbid, and can one product have parts under both?`;
    return [...texts, { role: 'user' as const, content: { type: 'text' as const, text: question } }];
  },
});
