import { error, middleware } from 'fwkit';
import { isKey, TitleTaken } from '#notes';

export default middleware(async (req, _res, _ctx, next) => {
  if (!isKey(req.header('authorization'))) throw error(401, 'Send the key.');
  try {
    return await next();
  } catch (thrown) {
    throw thrown instanceof TitleTaken ? error(409, thrown.message) : thrown;
  }
});
