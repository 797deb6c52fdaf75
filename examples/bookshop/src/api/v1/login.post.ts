import { error, post, renewSession } from 'fwkit';
import { z } from 'zod';
import { Sentence } from '../../lib/sentence.js';

export default post(
  {
    title: 'Log in',
    body: z.object({ email: z.string(), password: z.string() }),
    response: { 204: null },
    errors: { 401: Sentence },
  },
  async (req, _res, ctx) => {
    const account = await ctx.accounts.logIn(req.body.email, req.body.password);
    if (!account) return error(401, { message: 'Wrong email or password.' });

    renewSession(req);
    ctx.login.accountId = account.id;
  },
);
