import {
  type BaseRoute,
  type Hooks,
  isObject,
  isThenable,
  type Plugin,
  PluginMisuse,
  type Serving,
} from '../kernel/index.js';
import { settledWithin } from '../plugins/context/index.js';
import { routeFault } from '../plugins/http/internal.js';

/** The longest that a callback of a plugin may take, in milliseconds. */
const CALLBACK_LIMIT_MS = 30_000;

type ResolveTap = Parameters<Hooks['resolve']['tapPromise']>[1];
type ServeTap = Parameters<Hooks['serve']['tapPromise']>[1];

/** Adds checks around the taps of a project's plugin, so that its mistakes name it instead of a plugin that runs later. */
export function guarded(plugin: Plugin): Plugin {
  return { ...plugin, apply: (hooks, options) => plugin.apply(guardedHooks(hooks), options) };
}

function guardedHooks(hooks: Hooks): Hooks {
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
      if (name === 'resolve') return wrapped(name, (fn: ResolveTap) => guardedResolve(fn, own));
      if (name === 'serve') return wrapped(name, guardedServe);
      return Reflect.get(target, name);
    },
  });
}

/** Matches V8's messages about changes of frozen objects. */
const FROZEN = /read only|not extensible|Cannot (?:delete|redefine) property/;

const guardedResolve =
  (resolve: ResolveTap, own: Set<string>): ResolveTap =>
  async (routes, project) => {
    for (const route of routes) Object.freeze(route);
    Object.freeze(routes);
    try {
      const made: unknown = await resolve(routes, project);
      if (Array.isArray(made) && made !== routes) checkRoutes(made, routes, own);
      return made as readonly BaseRoute[];
    } catch (thrown) {
      if (!(thrown instanceof TypeError) || !FROZEN.test(thrown.message)) throw thrown;
      const misuse = new PluginMisuse(
        `it changes a route, or the list of routes, in place (${thrown.message}). Return a new list, [...routes, route], and new routes, { ...route, label }`,
      );
      // The frames are more useful than those of this function.
      if (thrown.stack !== undefined) misuse.stack = thrown.stack;
      throw misuse;
    }
  };

const ROUTE_KEYS = ['kind', 'protocol', 'file', 'label', 'id'] as const;

function checkRoutes(made: readonly unknown[], given: readonly BaseRoute[], own: Set<string>): void {
  const known = new Set<unknown>(given);
  const files = new Set<unknown>();
  for (const route of made) {
    if (!isObject(route) || ROUTE_KEYS.some((key) => typeof route[key] !== 'string'))
      throw new PluginMisuse(
        `it returned what is not a route. A route has ${ROUTE_KEYS.join(', ')}, each a text`,
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
  (serve: ServeTap): ServeTap =>
  (serving) => {
    const { onStart, onClose } = serving;
    const limited: Serving = {
      ...serving,
      onStart: (begin) => onStart(withLimit(begin)),
      onClose: (stop) => onClose(withLimit(stop)),
    };
    return serve(limited);
  };

/** A callback that fails if it takes too long. What it returns synchronously is not awaited. */
const withLimit = (run: () => unknown) => (): unknown => {
  const result = run();
  return isThenable(result) ? inTime(Promise.resolve(result)) : result;
};

async function inTime(running: Promise<unknown>): Promise<unknown> {
  // The timer also keeps the process from exiting with 0 before the end.
  if (await settledWithin(running, CALLBACK_LIMIT_MS)) return running;
  throw new PluginMisuse(
    `it has not finished after ${CALLBACK_LIMIT_MS / 1000} seconds. Resolve its promise earlier, or do not return the promise`,
  );
}
