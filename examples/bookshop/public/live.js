// @ts-check
// What changes on the page of a book while it is open.
import { createClient, data } from './client.js';

const api = createClient(location.origin);
const list = /** @type {HTMLElement} */ (document.querySelector('#reviews'));
const params = { slug: list.dataset.slug ?? '' };

/** Streams and WebSockets don't reconnect automatically after a restart of the shop. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 1000));

async function showReviews() {
  let after = Number(list.dataset.last);
  for (;;) {
    try {
      const events = await data(api('/books/:slug/reviews').get({ params, query: { after } }));
      for await (const { data: review } of events) {
        const item = document.createElement('li');
        const by = Object.assign(document.createElement('span'), {
          className: 'quiet',
          textContent: review.by,
        });
        item.append(`${'★'.repeat(review.rating)} ${review.text} `, by);
        list.append(item);
        document.querySelector('#none')?.remove();
        after = review.id;
      }
    } catch (cause) {
      console.warn('The reviews are away:', cause);
    }
    await pause();
  }
}

async function showReaders() {
  const shown = /** @type {HTMLElement} */ (document.querySelector('#readers'));
  for (;;) {
    const socket = api('/ws/books/:slug/readers').ws({ params });
    for await (const { reading } of socket) shown.textContent = `${reading} reading this now`;
    await pause();
  }
}

showReviews();
showReaders();
