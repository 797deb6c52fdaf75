import { get } from 'fwkit';

export default get((_req, _res, ctx) => ({ n: ctx.n }));
