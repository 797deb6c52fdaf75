// @ts-check
// Finds books while their names are being typed. Without it, the form asks for the page of what it finds.
import { createClient } from './client.js';

const api = createClient(location.origin);
const form = /** @type {HTMLFormElement} */ (document.querySelector('form[role=search]'));
const field = /** @type {HTMLInputElement} */ (form.elements.namedItem('search'));
const books = /** @type {HTMLElement} */ (document.querySelector('#books'));
const total = /** @type {HTMLElement} */ (document.querySelector('#total'));

let asked = new AbortController();

field.addEventListener('input', async () => {
  asked.abort();
  asked = new AbortController();
  const { signal } = asked;
  try {
    const found = await api('/api/v1/books').get({ query: { search: field.value, size: 100 }, signal });
    if (!found.ok) {
      total.textContent = found.error.message;
      return;
    }
    total.textContent = found.data.total === 1 ? '1 book' : `${found.data.total} books`;
    books.replaceChildren(...found.data.books.map(row));
  } catch (cause) {
    if (!signal.aborted) total.textContent = `The shop is away: ${cause}`;
  }
});

/** @param {{ slug: string, title: string, author: string, year: number, cents: number }} book */
function row({ slug, title, author, year, cents }) {
  const item = document.createElement('li');
  const span = (/** @type {string} */ className, /** @type {string} */ textContent) =>
    Object.assign(document.createElement('span'), { className, textContent });
  const link = Object.assign(document.createElement('a'), {
    href: `/books/${encodeURIComponent(slug)}`,
    textContent: title,
  });
  const price = span('price', `€ ${(cents / 100).toFixed(2)}`);
  item.append(price, ' ', link, ' ', span('quiet', `${author}, ${year}`));
  return item;
}
