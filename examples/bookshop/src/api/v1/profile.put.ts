import { put } from 'fwkit';
import { z } from 'zod';
import { Account } from '../../lib/account.js';
import { Sentence } from '../../lib/sentence.js';

export default put(
  {
    title: 'Change the name of the account that is logged in',
    body: z.object({ name: z.string().trim().min(1).max(50) }),
    response: Account,
    errors: { 401: Sentence },
  },
  ({ body }, _res, ctx) => {
    const { member } = ctx;
    ctx.accounts.rename(member.id, body.name);
    return { ...member, name: body.name };
  },
);
