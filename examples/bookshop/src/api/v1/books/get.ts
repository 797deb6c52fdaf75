import { get } from 'fwkit';
import { readWhole } from '../../../lib/input.js';

/** GET /api/v1/books?search=eliot&page=2&size=10 */
export default get((req, _res, ctx) => {
  const { search = '', page = '1', size = '20' } = req.query;
  const asked = { page: Number(page), size: Number(size) };
  const paging = {
    page: readWhole(asked, 'page', { min: 1, max: 10_000 }),
    size: readWhole(asked, 'size', { min: 1, max: 100 }),
  };
  return { ...ctx.catalogue.search({ search, ...paging }), ...paging };
});
