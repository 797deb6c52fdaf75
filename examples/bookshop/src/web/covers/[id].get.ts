import { get, type HttpRequest } from 'fwkit';

export default get((req: HttpRequest<'/covers/:id'>, res, ctx) => {
  const cover = ctx.covers.of(Number(req.params.id));
  if (!cover) return null;
  res.type(cover.type);
  return cover.bytes;
});
