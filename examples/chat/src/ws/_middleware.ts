import { error, middleware } from 'fwkit';

/** Who has no name yet does not get in: the handshake is answered with 401. */
export default middleware((_req, _res, ctx, next) => {
  if (ctx.visitor.nickname === '') throw error(401, 'Choose a nickname first: POST /nickname.');
  return next();
});
