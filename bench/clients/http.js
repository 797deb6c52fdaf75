/** Plain HTTP. What a response looks like is learned from the first one to each request. */
import { openConnections } from '../lib/connections.js';
import { exchange } from '../lib/exchange.js';

/** What every subject has to answer alike: the body to the byte, and the headers that mean something to a client. */
export async function sample({ port }, { requests, status, alike = [] }) {
  const answers = await Promise.all(requests.map((request) => exchange(port, request)));
  const odd = answers.find((answer) => answer.status !== status);
  if (odd) throw new Error(`port ${port} answers ${odd.status} instead of ${status}: ${odd.body}`);
  return answers.map(({ body, headers }) => ({
    body,
    // `charset` says nothing of JSON (RFC 8259 §11), and its letters' case nothing of text.
    type: headers['content-type']?.split(';', 1)[0].toLowerCase(),
    // Names of attributes are equal in any case (RFC 6265 §5.2), and so is the value of SameSite.
    cookie: headers['set-cookie']
      ?.split('; ')
      .map((part, index) => (index === 0 ? part : part.toLowerCase()))
      .sort(),
    // A length may be told, or chunks sent instead; one that is told has to be right, or nothing comes to an end.
    validators: ['etag', 'last-modified'].filter((name) => name in headers),
    alike: alike.map((name) => [name, headers[name]?.toLowerCase().replace(/;\s+/g, ';')]),
    keepsAlive: headers.connection?.toLowerCase() !== 'close',
  }));
}

export async function open({ port }, { requests, status }, connections) {
  const all = [];
  for (const request of requests)
    all.push({ text: Buffer.from(request), size: (await exchange(port, request)).size });
  // Each connection begins elsewhere, so that all requests are under way at any time.
  const queues = Array.from({ length: connections }, (_, index) => {
    const first = index % all.length;
    return [...all.slice(first), ...all.slice(0, first)];
  });
  return openConnections(port, queues, status);
}
