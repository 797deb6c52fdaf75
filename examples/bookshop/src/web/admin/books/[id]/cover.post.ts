import { error, type HttpRequest, post, view } from 'fwkit';
import { adminPage } from '../../../../lib/admin-page.js';
import { readCoverForm } from '../../../../lib/cover-form.js';

/** The largest upload, in bytes. */
const LARGEST = 2_000_000;

export default post(async (req: HttpRequest<'/admin/books/:id/cover'>, res, ctx) => {
  const book = ctx.catalogue.book(Number(req.params.id));
  if (!book) throw error(404, { message: 'There is no such book.' });

  const cover = await readCoverForm(req.body);
  if (!cover) {
    res.status(400);
    return view('admin', adminPage(ctx, { [book.id]: 'Choose a PNG, JPEG or GIF image.' }));
  }
  ctx.covers.put(book.id, cover);
  return res.redirect(`/books/${encodeURIComponent(book.slug)}`, 303);
}).meta({ bodyLimit: LARGEST });
