import { timingSafeEqual } from 'node:crypto';
import { type Session, sessionOf } from '../context/internal.js';
import { type Handler, HttpProblem, type HttpRequest } from '../http/index.js';
import { FIELD, HEADER, PURPOSE, proofIn } from './token.js';

export interface GuardSettings {
  /** Origins beside the server's own whose pages may send anything. */
  readonly origins: ReadonlySet<string>;
  /** Whether cookies of the app's own stand for a visitor, where there is no session. */
  readonly hasOwnCookies: boolean;
  /** Whether a refusal says what to do about it. */
  readonly explains: boolean;
}

/** Methods that change nothing (RFC 9110 §9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** What a page of any origin can send without asking the server first, in a form (Fetch §2.2.2, CORS-safelisted). */
const FORM_TYPES: ReadonlySet<string> = new Set([
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/plain',
]);

const FOREIGN = new HttpProblem(403, 'Pages of another origin may not send this request');
const UNPROVEN = new HttpProblem(
  403,
  'The request has none of the headers by which a browser says where it comes from, and no valid CSRF token. A client that is not a browser sends an Origin header with the origin of this server, or JSON as application/json',
);

export const guarded =
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
      // A sandboxed frame of any page, over http: there is no token that could tell it from an own one.
    } else if (!hasCookies(req) && !isForm(req) && !isUntyped(req)) return handler(req, res, ctx);
    throw settings.explains ? explained(FOREIGN, `${comesFrom(req)} ${FOREIGN_ADVICE}`) : FOREIGN;
  };

/**
 * Where a request comes from: pages of this server, or clients that a person commands directly; other pages; or nobody knows,
 * since it is from a browser that is too old to say so, or not from a browser.
 */
function sourceOf(req: HttpRequest, origins: ReadonlySet<string>): 'own' | 'foreign' | 'unknown' {
  const { origin, referer, 'sec-fetch-site': site } = req.raw.headers;
  if (site === 'same-origin' || site === 'none') return 'own';
  if (origin !== undefined && origins.has(origin)) return 'own';
  // Also of the same site: a page of another port or subdomain may be anybody's.
  if (site !== undefined) return 'foreign';
  // Sent in place of an origin that a page wants to be kept secret, by `Referrer-Policy: no-referrer`, say.
  if (origin === 'null') return 'unknown';
  const claimed = origin ?? referer;
  if (claimed === undefined) return 'unknown';
  const { host } = req.url;
  if (claimed === `https://${host}` || claimed === `http://${host}`) return 'own';
  if (!URL.canParse(claimed)) return 'foreign';
  const page = new URL(claimed);
  // The scheme is that of the last proxy, unless `http.trustProxy` is set: only the host is known for sure.
  return page.host === host || origins.has(page.origin) ? 'own' : 'foreign';
}

const hasCookies = ({ raw }: HttpRequest): boolean => raw.headers.cookie !== undefined;

/** Whether a form of any page could send it: with another type or method, a browser asks the server first (a CORS preflight). */
const isForm = (req: HttpRequest): boolean => req.method === 'POST' && isFormType(req);

const isFormType = (req: HttpRequest): boolean => FORM_TYPES.has(typeOf(req));

const typeOf = ({ raw }: HttpRequest): string =>
  (raw.headers['content-type'] ?? '').split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? '';

/** Whether it is a POST without a type: scripts of any page can send it, by `fetch` of a Blob in the mode `no-cors`. */
const isUntyped = (req: HttpRequest): boolean => req.method === 'POST' && typeOf(req) === '';

/** Whether the page that sent it has an origin that it does not tell, or none. */
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
  'Add that origin to csrf.origins in fwk.config if its pages may do this; .meta({ csrf: false }) switches the check off for a route.';
const UNPROVEN_ADVICE =
  'A form for old browsers has a field from csrfField(req); .meta({ csrf: false }) switches the check off for a route.';

function comesFrom({ raw }: HttpRequest): string {
  const { origin, referer, 'sec-fetch-site': site } = raw.headers;
  const from = origin ?? referer ?? 'another origin';
  return `It comes from ${from}${site === undefined ? '' : ` (Sec-Fetch-Site: ${String(site)})`}.`;
}

const explained = ({ status, message }: HttpProblem, advice: string): HttpProblem =>
  new HttpProblem(status, `${message}. ${advice}`, undefined, {}, 'FWK420');
