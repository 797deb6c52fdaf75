import { error, post } from 'fwkit';
import { readFields } from '../../lib/input.js';

export default post(async (req, res, ctx) => {
  const { email, password } = readFields(req.body);
  if (typeof email !== 'string' || typeof password !== 'string')
    throw error(400, { message: 'Send an email and a password.' });

  const token = await ctx.accounts.logIn(email, password);
  if (token === undefined) throw error(401, { message: 'That email and password do not belong together.' });

  res.cookie('token', token, {
    httpOnly: true,
    sameSite: 'lax',
    secure: req.url.protocol === 'https:',
    maxAge: ctx.accounts.loginSeconds,
  });
});
