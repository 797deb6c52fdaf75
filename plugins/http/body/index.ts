import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { coded } from '../../../kernel/index.js';
import { onDemand } from '../../../loader/index.js';
import type { Io } from '../io/io.js';
import type { RouteMeta } from '../request/route-info.js';
import type { BodyLimits } from './bytes.js';
import { discardLater, sendContinue } from './discard-rest.js';
import { hasFields, isForm, unsupportedType } from './media-type.js';
import type { ReadBody } from './pending-body.js';
import { hasBody, isTooLarge, readBody, tooLarge } from './read-body.js';

const encodedOrMultipart = onDemand(() => import('./read-encoded.js'));

/** How the bodies of a route are read. Decided at boot. `isChecked`: a schema checks them, and takes some types only. */
export function bodyReader(
  meta: RouteMeta,
  limits: BodyLimits,
  take: Io['read'],
  isChecked = false,
): ReadBody {
  const streams = meta.body === 'stream';
  const limit = meta.bodyLimit ?? (streams ? Number.POSITIVE_INFINITY : limits.bodyLimit);
  const own = { ...limits, bodyLimit: limit };
  const stream = streams ? streamReader(limit, limits) : undefined;
  return (raw, out, done) => {
    // Its `end` has been emitted already, and is not emitted again.
    if (raw.readableEnded && hasBody(raw)) return done(coded('FWK417', new Error(ALREADY_READ)));
    if (isChecked && !hasFields(raw)) return done(unsupportedType());
    // How much a compressed body is, is known when it is decompressed.
    if (raw.headers['content-encoding'] === undefined && isTooLarge(raw, limit)) return done(tooLarge(limit));
    sendContinue(out);
    if (stream) return stream(raw, out, done);
    if (isPlain(raw)) return readBody(raw, take, own, done);
    encodedOrMultipart()
      .then(({ readEncodedOrMultipart: readSpecial }) => readSpecial(raw, limit, limits))
      .then((body) => done(undefined, body), done);
  };
}

const ALREADY_READ =
  'the body has been read already, past req.body: by a middleware from req.raw, or by a server around this one, such as express.json(). A middleware takes it from await req.readBody(); such a server comes behind this app.';

/** The handler gets the body unread. `limit` is Infinity unless the route sets one. */
const streamReader =
  (limit: number, limits: BodyLimits): ReadBody =>
  (raw, out, done) => {
    // Bytes that the handler leaves are read off the connection: the next request comes behind them.
    discardLater(raw, out);
    // Newer versions of Node have ended such a request by now: it would emit nothing.
    if (!hasBody(raw)) return done(undefined, Readable.from([], { objectMode: false }));
    // The length that is announced is the most that can come; only a body in chunks must be counted.
    if (isPlain(raw) && (limit === Number.POSITIVE_INFINITY || raw.headers['content-length'] !== undefined))
      return done(undefined, breakable(raw));
    encodedOrMultipart()
      .then(({ streamEncodedOrMultipart: openSpecial }) => openSpecial(raw, limit, limits, done))
      .then((body) => done(undefined, body), done);
  };

function isPlain({ headers }: IncomingMessage): boolean {
  const type = headers['content-type'];
  return (
    headers['content-encoding'] === undefined &&
    (type === undefined || type === 'application/json' || !isForm(type))
  );
}

/** Node closes the connection when `for await` over a request is left early, and with it goes the answer. */
function breakable(raw: IncomingMessage): IncomingMessage {
  return Object.defineProperty(raw, Symbol.asyncIterator, {
    value: () => raw.iterator({ destroyOnReturn: false }),
  });
}
