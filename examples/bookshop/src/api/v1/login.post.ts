import { error, post, renewSession } from 'fwkit';
import { readFields } from '../../lib/input.js';

export default post(async (req, _res, ctx) => {
  const { email, password } = readFields(req.body);
  if (typeof email !== 'string' || typeof password !== 'string')
    throw error(400, { message: 'Send an email and a password.' });

  const account = await ctx.accounts.logIn(email, password);
  if (!account) throw error(401, { message: 'That email and password do not belong together.' });

  renewSession(req);
  ctx.login.accountId = account.id;
});
