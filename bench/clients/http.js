/** Plain HTTP. The first response to each request defines its expected form. */
import { openConnections } from '../lib/connections.js';
import { exchange } from '../lib/exchange.js';

/** The parts of a response that must be equal for all subjects: the body, and the headers that affect clients. */
export async function sample({ port }, { requests, status, alike = [] }) {
  const answers = await Promise.all(requests.map((request) => exchange(port, request)));
  const odd = answers.find((answer) => answer.status !== status);
  if (odd) throw new Error(`port ${port} responds with ${odd.status} instead of ${status}: ${odd.body}`);
  return answers.map(({ body, headers }) => ({
    body,
    // `charset` has no meaning for JSON (RFC 8259 §11), and its value is case-insensitive for text.
    type: headers['content-type']?.split(';', 1)[0].toLowerCase(),
    // Attribute names (RFC 6265 §5.2) and the value of SameSite are case-insensitive.
    cookie: headers['set-cookie']
      ?.split('; ')
      .map((part, index) => (index === 0 ? part : part.toLowerCase()))
      .sort(),
    // The length may be declared or chunked; a wrong declared length would hang the client.
    validators: ['etag', 'last-modified'].filter((name) => name in headers),
    alike: alike.map((name) => [name, headers[name]?.toLowerCase().replace(/;\s+/g, ';')]),
    keepsAlive: headers.connection?.toLowerCase() !== 'close',
  }));
}

export async function open({ port }, { requests, status }, connections) {
  const all = [];
  for (const request of requests)
    all.push({ text: Buffer.from(request), size: (await exchange(port, request)).size });
  // Each connection starts at a different request, so that all requests are active at any time.
  const queues = Array.from({ length: connections }, (_, index) => {
    const first = index % all.length;
    return [...all.slice(first), ...all.slice(0, first)];
  });
  return openConnections(port, queues, status);
}
