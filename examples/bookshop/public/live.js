// What changes on the page of a book while it is open.
const { slug, last } = document.querySelector('#reviews').dataset;
const address = `books/${encodeURIComponent(slug)}`;

const reviews = new EventSource(`/${address}/reviews?after=${last}`);
reviews.addEventListener('review', ({ data }) => {
  const { rating, text, by } = JSON.parse(data);
  const item = document.createElement('li');
  const author = Object.assign(document.createElement('span'), { className: 'quiet', textContent: by });
  item.append(`${'★'.repeat(rating)} ${text} `, author);
  document.querySelector('#reviews').append(item);
  document.querySelector('#none')?.remove();
});

function connect() {
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/ws/${address}/readers`);
  socket.onmessage = ({ data }) => {
    const { reading } = JSON.parse(data);
    document.querySelector('#readers').textContent = `${reading} reading this now`;
  };
  // Unlike an EventSource, it does not come back by itself.
  socket.onclose = () => setTimeout(connect, 1000);
}
connect();
