import { timingSafeEqual } from 'node:crypto';
import { type Session, sessionOf } from '../context/internal.js';
import { type Handler, HttpProblem, type HttpRequest } from '../http/index.js';
import { FIELD, HEADER, PURPOSE, proofIn } from './token.js';

export interface GuardSettings {
  /** Other origins, in addition to the server's own, whose pages may send any request. */
  readonly origins: ReadonlySet<string>;
  /** Whether the app's own cookies identify a visitor, even without a session. */
  readonly hasOwnCookies: boolean;
  /** Whether a refusal explains the fix. */
  readonly explains: boolean;
}

/** Methods that change nothing (RFC 9110 §9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Content types that any page can send in a form without a preflight (Fetch §2.2.2, safelisted). */
const FORM_TYPES: ReadonlySet<string> = new Set([
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/plain',
]);

const FOREIGN = new HttpProblem(403, 'Pages of another origin may not send this request');
const UNPROVEN = new HttpProblem(
  403,
  'The request has no header that shows its origin, and no valid CSRF token. A client that is not a browser must send an Origin header with the origin of this server, or JSON as application/json',
);

export const withCsrfCheck =
  (handler: Handler, settings: GuardSettings): Handler =>
  (req, res, ctx) => {
    if (SAFE.has(req.method)) return handler(req, res, ctx);
    const source = sourceOf(req, settings.origins);
    if (source === 'own') return handler(req, res, ctx);
    if (source === 'unknown') {
      const session = sessionOf(req);
      if (session?.isStored && isForgeable(req))
        return whenProven(req, session, settings, () => handler(req, res, ctx));
      if (session?.isStored || !settings.hasOwnCookies || !hasCookies(req) || !isHidden(req))
        return handler(req, res, ctx);
      // A sandboxed frame of any page could send it, over HTTP: no token distinguishes it from the app.
    } else if (!hasCookies(req) && !isForm(req) && !isUntyped(req)) return handler(req, res, ctx);
    throw settings.explains ? explained(FOREIGN, `${comesFrom(req)} ${FOREIGN_ADVICE}`) : FOREIGN;
  };

/**
 * The source of a request: the server's own pages, or clients that a person controls directly;
 * other pages; or unknown, because the request comes from an old browser that doesn't send the
 * headers, or not from a browser.
 */
function sourceOf(req: HttpRequest, origins: ReadonlySet<string>): 'own' | 'foreign' | 'unknown' {
  const { origin, referer, 'sec-fetch-site': site } = req.raw.headers;
  if (site === 'same-origin' || site === 'none') return 'own';
  if (origin !== undefined && origins.has(origin)) return 'own';
  // Includes same-site requests: a page on another port or subdomain may belong to anyone.
  if (site !== undefined) return 'foreign';
  // Sent instead of the origin if a page hides it, for example with `Referrer-Policy: no-referrer`.
  if (origin === 'null') return 'unknown';
  const claimed = origin ?? referer;
  if (claimed === undefined) return 'unknown';
  const { host } = req.url;
  if (claimed === `https://${host}` || claimed === `http://${host}`) return 'own';
  if (!URL.canParse(claimed)) return 'foreign';
  const page = new URL(claimed);
  // The scheme is the last proxy's, unless `http.trustProxy` is set: only the host is certain.
  return page.host === host || origins.has(page.origin) ? 'own' : 'foreign';
}

const hasCookies = ({ raw }: HttpRequest): boolean => raw.headers.cookie !== undefined;

/** Whether a form on any page could send it: other types and methods need a CORS preflight first. */
const isForm = (req: HttpRequest): boolean => req.method === 'POST' && isFormType(req);

const isFormType = (req: HttpRequest): boolean => FORM_TYPES.has(typeOf(req));

const typeOf = ({ raw }: HttpRequest): string =>
  (raw.headers['content-type'] ?? '').split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? '';

/** Whether it is a POST without a content type. A script on any page can send one, as a Blob in `no-cors` mode. */
const isUntyped = (req: HttpRequest): boolean => req.method === 'POST' && typeOf(req) === '';

/** Whether the page that sent it has an opaque or hidden origin. */
const isHidden = ({ raw }: HttpRequest): boolean => raw.headers.origin === 'null';

/** Whether an old browser could have been made to send it. */
const isForgeable = (req: HttpRequest): boolean => isForm(req) || isHidden(req);

async function whenProven(
  req: HttpRequest,
  session: Session,
  { explains }: GuardSettings,
  proceed: () => unknown,
): Promise<unknown> {
  const token = req.header(HEADER) ?? (await fieldOf(req));
  if (!isProof(token, session)) throw explains ? explained(UNPROVEN, UNPROVEN_ADVICE) : UNPROVEN;
  return proceed();
}

export const withoutField =
  (handler: Handler): Handler =>
  (req, res, ctx) => {
    if (isFormType(req)) {
      const { body }: { body: unknown } = req;
      if (hasField(body)) Reflect.deleteProperty(body, FIELD);
    }
    return handler(req, res, ctx);
  };

const hasField = (body: unknown): body is { readonly [FIELD]: unknown } =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, FIELD);

async function fieldOf(req: HttpRequest): Promise<unknown> {
  if (req.route.meta.body === 'stream' || !isForm(req)) return undefined;
  const body = await req.readBody();
  return hasField(body) ? body[FIELD] : undefined;
}

function isProof(token: unknown, session: Session): boolean {
  const given = typeof token === 'string' ? proofIn(token) : undefined;
  if (given === undefined) return false;
  const proofs = session.proofs?.(PURPOSE) ?? [];
  return proofs.some((proof) => {
    const right = Buffer.from(proof, 'base64url');
    return right.length === given.length && timingSafeEqual(right, given);
  });
}

const FOREIGN_ADVICE =
  'To allow it, add that origin to csrf.origins in fwk.config; .meta({ csrf: false }) disables the check for a route.';
const UNPROVEN_ADVICE =
  'A form for old browsers needs a field from csrfField(req); .meta({ csrf: false }) disables the check for a route.';

function comesFrom({ raw }: HttpRequest): string {
  const { origin, referer, 'sec-fetch-site': site } = raw.headers;
  const from = origin ?? referer ?? 'another origin';
  return `It comes from ${from}${site === undefined ? '' : ` (Sec-Fetch-Site: ${String(site)})`}.`;
}

const explained = ({ status, message }: HttpProblem, advice: string): HttpProblem =>
  new HttpProblem(status, `${message}. ${advice}`, undefined, {}, 'FWK420');
