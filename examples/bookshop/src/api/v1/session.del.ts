import { del } from 'fwkit';

/** Log out. It is no mistake to do so twice. */
export default del((req, res, ctx) => {
  const { token } = req.cookies;
  if (token !== undefined) ctx.accounts.logOut(token);
  res.clearCookie('token');
});
