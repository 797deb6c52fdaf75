import { resource } from 'fwkit/mcp';

// book://middlemarch
export default resource({
  title: 'A book',
  description: 'The data of a book and its reviews.',
  mimeType: 'application/json',
  complete: {
    slug: (prefix, ctx) =>
      ctx.catalogue
        .search({ size: 1000 })
        .books.map(({ slug }) => slug)
        .filter((slug) => slug.startsWith(prefix)),
  },
  handler: ({ slug = '' }, ctx) => {
    const book = ctx.catalogue.bookAt(slug);
    return book && { ...book, reviews: ctx.reviews.of(book.id) };
  },
});
