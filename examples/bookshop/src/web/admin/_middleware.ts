import { error, middleware } from 'fwkit';

/** Redirects visitors without a login to the login page. Users who are not admins get a 403. */
export default middleware((_req, res, ctx, next) => {
  const { visitor } = ctx;
  if (!visitor) return res.redirect('/login', 303);
  if (!visitor.admin) throw error(403, { message: 'Only admins may see this.' });
  return next();
});
