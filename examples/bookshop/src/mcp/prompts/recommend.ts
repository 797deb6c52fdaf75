import { prompt } from 'fwkit/mcp';

export default prompt({
  title: 'Recommend a book',
  description: 'Asks the assistant to find a book for a reader.',
  input: {
    type: 'object',
    properties: {
      reader: { type: 'string', description: 'What the reader likes' },
      length: { type: 'string', enum: ['short', 'long'], description: 'The length of the book' },
    },
    required: ['reader'],
  },
  handler: ({ reader, length }) =>
    `Recommend one book of this shop to somebody who likes ${reader}${length ? `, a ${length} one` : ''}. ` +
    'Search for it, read its data and reviews, and explain in two sentences why it fits.',
});
