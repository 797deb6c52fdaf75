import { get } from 'fwkit';

/** A literal segment: it wins over `[id].get.ts` beside it. */
export default get((_req, _res, ctx) => ({ books: ctx.catalogue.featured() }));
