import { error, middleware } from 'fwkit';

/** Without a nickname, the handshake gets a 401. */
export default middleware((_req, _res, ctx, next) => {
  if (ctx.visitor.nickname === '') throw error(401, 'Choose a nickname first: POST /nickname.');
  return next();
});
