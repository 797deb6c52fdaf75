import { constants } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { coded } from '../../../kernel/index.js';
import { onDemand } from '../../../loader/index.js';
import type { HttpIo } from '../io/io.js';
import type { RouteMeta } from '../request/route-info.js';
import type { BodyLimits } from './bytes.js';
import { discardLater, sendContinue } from './discard-rest.js';
import { HeldBytes } from './held-bytes.js';
import { hasFields, isForm, unsupportedType } from './media-type.js';
import type { ReadBody } from './pending-body.js';
import { hasBody, isTooLarge, readBody, tooLarge } from './read-body.js';

const encodedOrMultipart = onDemand(() => import('./read-encoded.js'));

/** Choose the function that reads a route's bodies. `isChecked`: a schema accepts only some media types. */
export function bodyReader(
  meta: RouteMeta,
  limits: BodyLimits,
  take: HttpIo['read'],
  isChecked = false,
): ReadBody {
  const streams = meta.body === 'stream';
  // Most bodies are text, and Node can't hold a longer one in memory.
  const limit = streams
    ? (meta.bodyLimit ?? Number.POSITIVE_INFINITY)
    : Math.min(meta.bodyLimit ?? limits.bodyLimit, constants.MAX_STRING_LENGTH);
  // A body that a route accepts fits if there is no other one.
  const maxBodyMemory = Math.max(
    limits.maxBodyMemory || Number.POSITIVE_INFINITY,
    streams ? limits.bodyLimit : limit,
  );
  const own = { ...limits, bodyLimit: limit, maxBodyMemory };
  const stream = streams ? streamReader(limit, { ...limits, maxBodyMemory }) : undefined;
  return (raw, out, done) => {
    // The request has already emitted `end` and won't emit it again.
    if (raw.readableEnded && hasBody(raw)) return done(coded('FWK417', new Error(ALREADY_READ)));
    if (isChecked && !hasFields(raw)) return done(unsupportedType());
    // The size of a compressed body is known only after decompression.
    if (raw.headers['content-encoding'] === undefined && isTooLarge(raw, limit)) return done(tooLarge(limit));
    sendContinue(out);
    if (stream) return stream(raw, out, done);
    if (isPlain(raw)) return readBody(raw, out, take, own, done);
    encodedOrMultipart()
      .then(({ readEncodedOrMultipart: readSpecial }) =>
        readSpecial(raw, limit, limits, new HeldBytes(out, maxBodyMemory)),
      )
      .then((body) => done(undefined, body), done);
  };
}

const ALREADY_READ =
  'the request body has already been read without req.body: a middleware read req.raw, or a server around this app did, such as express.json(). In a middleware, use await req.readBody(); in Express, mount this app before the body parser.';

/** Passes the unread body to the handler. `limit` is Infinity unless the route sets one. */
const streamReader =
  (limit: number, limits: BodyLimits): ReadBody =>
  (raw, out, done) => {
    // Bytes that the handler doesn't read are discarded, because the next request follows them on the connection.
    discardLater(raw, out);
    // Newer versions of Node have already ended such a request, so it would emit nothing.
    if (!hasBody(raw)) return done(undefined, Readable.from([], { objectMode: false }));
    // A body can't exceed its announced length. Only a chunked body has to be counted.
    if (isPlain(raw) && (limit === Number.POSITIVE_INFINITY || raw.headers['content-length'] !== undefined))
      return done(undefined, breakable(raw));
    encodedOrMultipart()
      .then(({ streamEncodedOrMultipart: openSpecial }) =>
        openSpecial(raw, limit, { ...limits, held: new HeldBytes(out, limits.maxBodyMemory) }, done),
      )
      .then((body) => done(undefined, body), done);
  };

function isPlain({ headers }: IncomingMessage): boolean {
  const type = headers['content-type'];
  return (
    headers['content-encoding'] === undefined &&
    (type === undefined || type === 'application/json' || !isForm(type))
  );
}

/** Allow `for await` over the request to end early: Node would close the connection before the response. */
function breakable(raw: IncomingMessage): IncomingMessage {
  return Object.defineProperty(raw, Symbol.asyncIterator, {
    value: () => raw.iterator({ destroyOnReturn: false }),
  });
}
