import { coded } from '../../../kernel/index.js';

/** Headers that belong to one connection and are not passed on (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The headers of a web Response as they are sent: each cookie by itself, and none that its body does not keep. Throws
 * TypeError for a Response that cannot be sent.
 */
export function* headersOf({ headers, url, status, bodyUsed }: Response): Generator<[string, string]> {
  if (status === 0) throw coded('FWK416', new TypeError('Response.error() cannot be sent: it has no status'));
  if (bodyUsed) throw coded('FWK416', new TypeError('the body of the Response has been read already'));
  // A fetched body has been decoded: its encoding and its length are no longer what the headers say.
  const decoded = url !== '' && headers.has('content-encoding');
  for (const [name, value] of headers) {
    if (HOP_BY_HOP.has(name)) continue;
    if (decoded && (name === 'content-encoding' || name === 'content-length')) continue;
    yield [name, value];
  }
}
