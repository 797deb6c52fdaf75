import { error, patch } from 'fwkit';
import { z } from 'zod';
import { Book, BookChange } from '../../../../lib/book.js';
import { Sentence } from '../../../../lib/sentence.js';

/** Fields that the body omits keep their value. */
export default patch(
  {
    title: 'Change a book',
    params: z.object({ id: z.int() }),
    body: BookChange,
    response: Book,
    errors: { 404: Sentence },
  },
  ({ params, body }, _res, ctx) =>
    ctx.catalogue.change(params.id, body) ?? error(404, { message: 'There is no such book.' }),
).meta({ audit: 'changed a book' });
