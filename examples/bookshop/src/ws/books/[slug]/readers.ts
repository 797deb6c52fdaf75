import { error, ws } from 'fwkit';
import { z } from 'zod';

/** When the number of people with the page of a book open changes, sends it to all of them. */
export default ws(
  { params: z.object({ slug: z.string() }), send: z.object({ reading: z.int() }) },
  ({ params, ctx, join, publish, onClose }) => {
    const book = ctx.catalogue.bookAt(params.slug);
    if (!book) throw error(404, { message: 'There is no such book.' });
    const room = `readers of ${book.slug}`;
    join(room);
    publish(room, { reading: ctx.readers.enter(book.id) });
    onClose(() => publish(room, { reading: ctx.readers.leave(book.id) }));
  },
);
