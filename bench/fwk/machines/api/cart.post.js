import { post } from 'fwkit';

export default post((_req, _res, ctx) => {
  ctx.n += 1;
  return { n: ctx.n };
});
