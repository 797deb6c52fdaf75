import { error, middleware } from 'fwkit';

/** A stranger is sent to the login; who is logged in and no admin gets a 403. */
export default middleware((_req, res, ctx, next) => {
  const { visitor } = ctx;
  if (!visitor) return res.redirect('/login', 303);
  if (!visitor.admin) throw error(403, { message: 'Only admins may see this.' });
  return next();
});
