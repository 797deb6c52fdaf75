import { tool } from 'fwkit/mcp';

export default tool({
  title: 'Search books',
  description:
    'Finds books of the shop by a part of the title or of the author. Use it before reading a book.',
  input: {
    type: 'object',
    properties: {
      search: { type: 'string', description: 'A part of the title or author; empty for all books' },
      page: { type: 'integer', minimum: 1, description: 'Page number, with 20 books per page. Default: 1' },
    },
    required: ['search'],
  },
  output: {
    type: 'object',
    properties: {
      total: { type: 'integer', description: 'The total number of books' },
      books: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            uri: { type: 'string', description: "The URI of the book's resource" },
            title: { type: 'string' },
            author: { type: 'string' },
            year: { type: 'integer' },
            price: { type: 'string' },
          },
          required: ['uri', 'title', 'author', 'year', 'price'],
        },
      },
    },
    required: ['total', 'books'],
  },
  annotations: { readOnlyHint: true },
  handler: ({ search, page }, ctx) => {
    const { total, books } = ctx.catalogue.search({ search, page });
    return {
      total,
      books: books.map(({ slug, title, author, year, cents }) => ({
        uri: `book://${slug}`,
        title,
        author,
        year,
        price: (cents / 100).toFixed(2),
      })),
    };
  },
});
