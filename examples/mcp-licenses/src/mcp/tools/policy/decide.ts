import { error } from 'fwkit';
import { tool } from 'fwkit/mcp';
import { z } from 'zod';
import { Decision, Id, Verdict } from '../../../lib/license.js';

export default tool({
  title: 'Decide on a license',
  description: 'Allows or forbids a license in this company. Replaces an earlier decision.',
  scopes: ['policy:write'],
  input: z.object({ id: Id, verdict: Verdict, why: z.string().trim().min(1).max(500) }),
  output: Decision.extend({ id: z.string() }),
  annotations: { idempotentHint: true },
  async handler({ id, verdict, why }, { licenses, policy, logger }, call) {
    const license = licenses.find(id);
    if (!license) throw error(404, `SPDX has no license "${id}". Search for it first.`);
    // Over stdio, there is no login: the caller is the user who started the process.
    const decision = { verdict, why, by: call.auth?.subject ?? 'this machine', at: new Date().toISOString() };
    await policy.decide(license.id, decision);
    logger.info({ id: license.id, ...decision }, 'decided');
    await call.notify('policy://current');
    return { id: license.id, ...decision };
  },
});
