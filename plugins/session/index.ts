import { oneOf, option } from '../../contributions/index.js';
import {
  coded,
  definePlugin,
  type Plugin,
  type ProblemCode,
  type Project,
  Stage,
  slotKey,
} from '../../kernel/index.js';
import { providersOf, sessionFiles } from '../context/index.js';
import { attachSession, type Session, sessionOf } from '../context/internal.js';
import {
  type AnyRequest,
  addPageValue,
  type Handler,
  type HttpRequest,
  mapHttpRoutes,
} from '../http/index.js';
import { projectOf } from '../http/internal.js';
import type { Sessions } from './sessions.js';
import type { SessionStore } from './store.js';

export type { SessionStore } from './store.js';

const SESSIONS = slotKey<Sessions>('session');

declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** `true` keeps its event streams and sockets open after the session that opened them has ended. */
    readonly outlivesSession?: boolean;
  }
}

/** A build prints this if no secret is set, because another machine may run the app. */
const NEEDS_SECRET =
  'is stored in a session: production needs SESSION_SECRET, FWK_SECRET, or session.secrets in fwk.config, and none of them is set here.';

export const sessionOptions = {
  /**
   * Secrets for the cookie's signature: the first one signs, all verify. Default: the environment
   * variable `SESSION_SECRET`, else a key derived from `FWK_SECRET`.
   */
  secrets: option.custom<string | readonly string[]>(
    [],
    'a secret or a list of secrets',
    (value): value is string | readonly string[] => [value].flat().every((one) => typeof one === 'string'),
  ),
  /** How long a session lasts without a visit, in seconds; each visit may extend it. */
  maxAge: option.integer(604_800, { min: 1, unit: 'seconds' }),
  /** How long a session lasts after it began or was renewed, in seconds, however often it is used. 0: no limit. */
  maxLifetime: option.integer(0, { unit: 'seconds' }),
  /** Maximum size of all values of one session, in bytes. */
  maxSize: option.integer(65_536, { min: 1, unit: 'bytes' }),
  /** The name of the cookie. With `secure: true`, the default name gets the prefix `__Host-`. */
  cookie: option.custom<string>(
    'session',
    'a valid cookie name',
    (value): value is string => typeof value === 'string' && /^[\w!#$%&'*.^`|~+-]+$/.test(value),
  ),
  /** Whether the cookie is only sent over HTTPS; `auto`: only if it was set over HTTPS. */
  secure: oneOf([true, false, 'auto'], 'auto'),
  /** Where sessions are stored. Default: the memory of this process, or of the workers' primary. */
  store: option.custom<SessionStore | undefined>(
    undefined,
    'an object with get, set and delete',
    (value): value is SessionStore | undefined =>
      value === undefined ||
      ['get', 'set', 'delete'].every(
        (name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function',
      ),
  ),
};

/**
 * Give the visitor's session a new ID with this response. Its values stay, and the old ID becomes
 * invalid. Call it when a visitor logs in, so that an ID that an attacker planted earlier is
 * worthless (session fixation). With `user`, such as the ID of the user who logs in, `endSession` can
 * end all sessions of this user. Throws if the request has no visitor, and after the response has
 * been sent.
 */
export const renewSession = (req: AnyRequest, of?: { readonly user: string }): void =>
  known(req, 'renewSession').renew(of && checkedUser(of.user, 'renewSession'));

/**
 * End the visitor's session: its values are deleted, and its cookie is cleared. Session values that
 * are read afterwards are new. With `user`, end all sessions that `renewSession` was called for with
 * this user, on all machines. Resolves with their number: 0 if none exists, for example because
 * `renewSession` was called without the user. Throws if the request has no visitor.
 */
export function endSession(req: AnyRequest): void;
export function endSession(req: AnyRequest, of: { readonly user: string }): Promise<number>;
export function endSession(req: AnyRequest, of?: { readonly user: string }): Promise<number> | undefined {
  const session = known(req, 'endSession');
  if (of === undefined) {
    session.end();
    return undefined;
  }
  const user = checkedUser(of.user, 'endSession');
  if (!session.endAll)
    throw coded('FWK311', new Error('endSession() with a user needs a visitor with a session cookie'));
  return session.endAll(user);
}

/** A number would be another user than its text, and an undefined one would not be noticed. */
function checkedUser(user: unknown, caller: string): string {
  if (typeof user === 'string' && user !== '') return user;
  throw new TypeError(`${caller}() needs a user that is a non-empty string, not ${JSON.stringify(user)}`);
}

function known(req: AnyRequest, caller: string): Session {
  const session = sessionOf(req);
  if (!session)
    throw coded(
      'FWK311',
      new Error(`${caller}() needs a session: provide a value with the lifetime "session"`),
    );
  return session;
}

/**
 * `it.flash` in templates: the messages in the session value `flash`, which a page shows once. They are taken when a template uses the
 * list, because a layout that passes all values on also reads it on pages that are the same for all visitors.
 */
function takeFlash(req: HttpRequest): readonly unknown[] {
  const known = flashes.get(req);
  if (known) return known;
  let isTaken = false;
  const taken = (list: unknown[]): unknown[] => {
    if (isTaken) return list;
    isTaken = true;
    const messages = sessionOf(req)?.value('flash', () => []);
    if (Array.isArray(messages)) list.push(...(req.method === 'HEAD' ? messages : messages.splice(0)));
    return list;
  };
  const list = new Proxy<unknown[]>([], {
    get: (target, key) => Reflect.get(taken(target), key),
    has: (target, key) => Reflect.has(taken(target), key),
  });
  flashes.set(req, list);
  return list;
}

/** A page may use the list several times. */
const flashes = new WeakMap<HttpRequest, readonly unknown[]>();

/** Gives visitors sessions if `di/` has a session value. Other projects load none of the session code. */
export function session(): Plugin {
  return definePlugin({
    name: 'session',
    needs: ['http'],
    guide: () => import('./guide.js'),
    options: sessionOptions,
    doctor: () => import('./doctor.js'),
    apply(hooks, { secrets, store, ...settings }) {
      const sessionsOfProjects = async (): Promise<(project: Project) => Sessions> => {
        const { Sessions } = await import('./sessions.js');
        return (project) => project.slot(SESSIONS, () => new Sessions(settings, project.logger));
      };

      hooks.resolve.tapPromise({ name: 'session:flash', stage: Stage.check }, async (routes, project) => {
        if (providersOf(project).some(({ key, lifetime }) => key === 'flash' && lifetime === 'session'))
          addPageValue(project, 'flash', takeFlash);
        return routes;
      });

      // Outside every other layer, because middlewares may also read session values.
      hooks.resolve.tapPromise({ name: 'session', stage: Stage.session }, async (routes, project) => {
        const [file] = sessionFiles(project);
        if (file === undefined) return routes;
        if (/^__(?:Host|Secure)-/i.test(settings.cookie) && settings.secure !== true)
          project.report(
            file,
            `is stored in a session whose cookie is named "${settings.cookie}". Browsers accept this prefix over https only: set session.secure to true, or choose another name.`,
            'FWK215',
          );
        const { hasSecret, isSecretMentioned, SECRETS } = await import('./secrets.js');
        project.slot(SECRETS, () => secrets);
        if (project.run.purpose === 'build' && !hasSecret(secrets) && !isSecretMentioned(project.root))
          project.logger.warn(
            { code: 'FWK206' satisfies ProblemCode },
            `${project.display(file)} ${NEEDS_SECRET}`,
          );
        const [sessionsOf, { RequestSession }] = await Promise.all([
          sessionsOfProjects(),
          import('./request-session.js'),
        ]);
        const visited =
          (handler: Handler): Handler =>
          (req, res, ctx) => {
            // A convention may identify its visitors by other means than a cookie.
            if (sessionOf(req)) return handler(req, res, ctx);
            const session = new RequestSession(sessionsOf(projectOf(req)), req, res);
            attachSession(req, session);
            const begun = session.begin();
            return begun ? begun.then(() => handler(req, res, ctx)) : handler(req, res, ctx);
          };
        return mapHttpRoutes(routes, 'session', ({ handler }) => visited(handler), []);
      });

      // Only a serving app needs a secret: `fwk routes` and `fwk types` run without one.
      hooks.serve.tapPromise('session', async ({ runtime, project }) => {
        if (sessionFiles(project).length === 0) return;
        const [sessionsOf, { openSessions }] = await Promise.all([
          sessionsOfProjects(),
          import('./store.js'),
        ]);
        sessionsOf(project).open(await openSessions(runtime, project, secrets, store));
      });
    },
  });
}
