import { middleware } from 'fwkit';

/** The pages have a style sheet and images of their own, and no script at all. */
const POLICY = `default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

export default middleware((_req, res, _ctx, next) => {
  res
    .header('Content-Security-Policy', POLICY)
    .header('X-Content-Type-Options', 'nosniff')
    .header('Referrer-Policy', 'same-origin');
  return next();
});
