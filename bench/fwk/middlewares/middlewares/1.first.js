import { middleware } from 'fwkit';

export default middleware((_req, _res, _ctx, next) => next());
