import { post, renewSession, view } from 'fwkit';
import { z } from 'zod';

const Login = z.object({ email: z.string().default(''), password: z.string().default('') });

export default post({ body: Login }, async (req, res, ctx) => {
  const { email, password } = req.body;
  const account = await ctx.accounts.logIn(email, password);
  if (!account) {
    const problem = 'Wrong email or password.';
    res.status(401);
    return view('login', { visitor: ctx.visitor, email, problem });
  }
  renewSession(req);
  ctx.login.accountId = account.id;
  return res.redirect('/', 303);
});
