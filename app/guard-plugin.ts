import {
  attributeErrors,
  type BaseRoute,
  type Hooks,
  isObject,
  type Plugin,
  PluginMisuse,
  type Project,
  type Runtime,
  type Serving,
} from '../kernel/index.js';
import { inTime } from '../plugins/context/index.js';
import { routeFault } from '../plugins/http/internal.js';

type ResolveTap = Parameters<Hooks['resolve']['tapPromise']>[1];
type ServeTap = Parameters<Hooks['serve']['tapPromise']>[1];

/** Adds checks around the taps of a project's plugin, so that its mistakes name it instead of a plugin that runs later. */
export function guardPlugin(plugin: Plugin): Plugin {
  // A plugin with this option limits its callbacks itself.
  const limit = Object.hasOwn(plugin.options ?? {}, 'drainLimit') ? (result: unknown) => result : inTime;
  const guards: Guards = {
    limit,
    wrap: (phase, callback) =>
      attributeErrors(
        plugin.name,
        phase,
        () => undefined,
        () => limit(callback()),
      ),
  };
  return { ...plugin, apply: (hooks, options) => plugin.apply(guardedHooks(hooks, guards), options) };
}

type WrapCallback = NonNullable<Runtime['wrapCallback']>;

interface Guards {
  readonly wrap: WrapCallback;
  readonly limit: (result: unknown) => unknown;
}

function guardedHooks(hooks: Hooks, guards: Guards): Hooks {
  /** The files of the routes that this plugin has added. It may remove these routes again. */
  const own = new Set<string>();
  const wrapped = (name: 'resolve' | 'serve', guard: (fn: never) => unknown): object => {
    const hook = hooks[name];
    const tapPromise = (tap: unknown, fn: unknown): unknown =>
      Reflect.apply(hook.tapPromise, hook, [tap, typeof fn === 'function' ? guard(fn as never) : fn]);
    return { ...hook, tapPromise };
  };
  return new Proxy(hooks, {
    get(target, name) {
      if (name === 'resolve') return wrapped(name, (fn: ResolveTap) => guardedResolve(fn, own, guards));
      if (name === 'serve') return wrapped(name, (fn: ServeTap) => guardedServe(fn, guards));
      return Reflect.get(target, name);
    },
  });
}

/** Matches V8's messages about changes of frozen objects. */
const FROZEN = /read only|not extensible|Cannot (?:delete|redefine) property/;

const guardedResolve =
  (resolve: ResolveTap, own: Set<string>, { wrap }: Guards): ResolveTap =>
  async (routes, project) => {
    for (const route of routes) Object.freeze(route);
    Object.freeze(routes);
    try {
      const returned: unknown = await wrapping([project], wrap, () => resolve(routes, project));
      if (Array.isArray(returned) && returned !== routes) checkRoutes(returned, routes, own);
      return returned as readonly BaseRoute[];
    } catch (thrown) {
      if (!(thrown instanceof TypeError) || !FROZEN.test(thrown.message)) throw thrown;
      const misuse = new PluginMisuse(
        `it changes a route, or the list of routes, in place (${thrown.message}). Return a new list, [...routes, route], and new routes, { ...route, label }`,
      );
      // These frames are more useful than the frames of this function.
      if (thrown.stack !== undefined) misuse.stack = thrown.stack;
      throw misuse;
    }
  };

const ROUTE_KEYS = ['kind', 'protocol', 'file', 'label', 'id'] as const;

function checkRoutes(returned: readonly unknown[], given: readonly BaseRoute[], own: Set<string>): void {
  const known = new Set<unknown>(given);
  const files = new Set<unknown>();
  for (const route of returned) {
    if (!isObject(route) || ROUTE_KEYS.some((key) => typeof route[key] !== 'string'))
      throw new PluginMisuse(
        `it returned a value that is not a route. A route has the strings ${ROUTE_KEYS.join(', ')}`,
      );
    files.add(route.file);
    if (known.has(route)) continue;
    const fault = route.protocol === 'http' ? routeFault(route) : undefined;
    if (fault !== undefined)
      throw new PluginMisuse(
        `it returned the HTTP route ${JSON.stringify(route.label)}, ${fault}. Make it with httpRoute(…), or change it with mapHttpRoutes(…)`,
      );
  }
  const lost = given.filter(({ file, id }) => id !== '' && !files.has(file) && !own.has(file));
  const [first] = lost;
  if (first)
    throw new PluginMisuse(
      `it lost ${lost.length === 1 ? 'a route' : `${lost.length} routes`} that it received: ${first.label} of ${first.file}${lost.length === 1 ? '' : ', for example'}. Return all of them: [...routes, ...own]`,
    );
  const before = new Set(given.map(({ file }) => file));
  for (const file of files) if (typeof file === 'string' && !before.has(file)) own.add(file);
}

const guardedServe =
  (serve: ServeTap, { wrap, limit }: Guards): ServeTap =>
  (serving) => {
    const { onStart, onClose, runtime, project } = serving;
    const limited: Serving = {
      ...serving,
      onStart: (begin) => onStart(() => limit(begin())),
      onClose: (stop) => onClose(() => limit(stop())),
    };
    return wrapping([runtime, project], wrap, () => serve(limited));
  };

/** Taps run one after the other, so all callbacks that are registered meanwhile are this plugin's. */
async function wrapping<T>(
  owners: readonly Pick<Project, 'wrapCallback'>[],
  wrap: WrapCallback,
  run: () => Promise<T>,
): Promise<T> {
  for (const owner of owners) owner.wrapCallback = wrap;
  try {
    return await run();
  } finally {
    for (const owner of owners) owner.wrapCallback = undefined;
  }
}
