import { post, renewSession, view } from 'fwkit';
import { readFields } from '../lib/input.js';

export default post(async (req, res, ctx) => {
  const { email, password } = readFields(req.body ?? {});
  const account = await ctx.accounts.logIn(String(email), String(password));
  if (!account) {
    const problem = 'That email and password do not belong together.';
    res.status(401);
    return view('login', { visitor: ctx.visitor, email, problem });
  }
  renewSession(req);
  ctx.login.accountId = account.id;
  res.redirect('/', 303);
});
