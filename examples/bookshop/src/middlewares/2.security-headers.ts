import { middleware } from 'fwkit';

/** The pages have a style sheet, images and a script of their own, and none from anywhere else. */
const POLICY = `default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

export default middleware((_req, res, _ctx, next) => {
  res
    .header('Content-Security-Policy', POLICY)
    .header('X-Content-Type-Options', 'nosniff')
    .header('Referrer-Policy', 'same-origin');
  return next();
});
