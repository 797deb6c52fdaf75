import { AsyncSeriesHook, AsyncSeriesWaterfallHook, SyncHook } from 'tapable';
import type { Claims } from './claims.js';
import { attributeErrors, type FrameReader, PluginError, PluginMisuse } from './errors.js';
import type { Generation } from './plugin.js';
import { type Hooks, Stage } from './plugin.js';
import type { Project } from './project.js';
import type { BaseRoute, TapResult } from './routes.js';
import type { Serving } from './runtime.js';
import { isObject, isThenable } from './values.js';

/** The hooks as the kernel calls them, and the state of their taps. Plugins see `Hooks`, which documents each hook. */
export class Taps {
  readonly discover = new SyncHook<[Claims]>(['claims']);
  readonly resolve = new AsyncSeriesWaterfallHook<[readonly BaseRoute[], Project]>(['routes', 'project']);
  readonly serve = new AsyncSeriesHook<[Serving]>(['serving']);
  readonly generate = new AsyncSeriesHook<[Generation]>(['generation']);
  /** The results of the `resolve` taps that added or removed routes, in order. */
  readonly returned: TapResult[] = [];
  running: { readonly plugin: string; readonly phase: string } | undefined;

  constructor(readonly framesOf: FrameReader) {}

  /** The name of the plugin whose tap is running. */
  readonly caller = (): string => this.running?.plugin ?? 'unknown';

  /**
   * Run the taps of an asynchronous hook in order. Each tap of `resolve` gets the result of the tap before it. tapable's `promise`
   * would compile a function for the taps of each version, which takes a tenth of the time of a reload.
   */
  async run<T>({ taps }: Pick<Taps['resolve'], 'taps'>, given: T, ...more: readonly unknown[]): Promise<T> {
    let value = given;
    for (const { fn } of taps) value = (await fn(value, ...more)) ?? value;
    return value;
  }

  /** Wraps a callback that the running tap registers, so that its errors name the plugin of that tap. */
  attributeErrors(phase: string, run: () => unknown): () => unknown {
    const { running: tap, framesOf } = this;
    if (!tap) return run;
    return attributeErrors(tap.plugin, phase, framesOf, () => {
      this.running = tap;
      const result = run();
      this.running = undefined;
      return result;
    });
  }
}

const ASYNC = 'tapPromise';
/** The method that taps each hook. */
const TAP_METHOD = { discover: 'tap', resolve: ASYNC, serve: ASYNC, generate: ASYNC } as const;
type Phase = keyof typeof TAP_METHOD;
const isPhase = (name: unknown): name is Phase => typeof name === 'string' && Object.hasOwn(TAP_METHOD, name);

/** Call `apply` with hooks to tap. Errors in `apply` and in its taps name `plugin`. */
export function applyTo(taps: Taps, plugin: string, apply: (hooks: Hooks) => unknown): void {
  const names = new Set<string>();
  let isApplied = false;
  const misuse = (message: string): never => {
    throw new PluginError(plugin, taps.running?.phase ?? 'apply', new PluginMisuse(message), taps.framesOf);
  };
  const runSync = (phase: string, call: () => unknown): void => {
    taps.running = { plugin, phase };
    const result = attributeErrors(plugin, phase, taps.framesOf, call)();
    if (isThenable(result)) {
      Promise.resolve(result).catch(() => {});
      misuse('it is async. Make it synchronous: asynchronous work belongs in later hooks');
    }
    taps.running = undefined;
  };
  const runAsync = async (phase: string, call: () => unknown, given: unknown): Promise<unknown> => {
    taps.running = { plugin, phase };
    const result = await attributeErrors(plugin, phase, taps.framesOf, call)();
    if (phase === 'resolve') {
      if (!Array.isArray(result))
        return misuse('it did not return the routes. Return the routes that it received, and its own');
      // Only of taps that add or remove routes: the others would keep short-lived routes in memory.
      if (result.length !== Object(given).length) taps.returned.push({ plugin, routes: result });
    }
    taps.running = undefined;
    return phase === 'resolve' ? result : undefined;
  };
  const hookOf = (phase: Phase): object => {
    const tapMethod = TAP_METHOD[phase];
    const reject = () => misuse(`it taps ${phase} with the wrong method. Call hooks.${phase}.${tapMethod}`);
    const register = (tap: unknown, fn: unknown): void => {
      const given = isObject(tap) ? tap : { name: tap };
      const { name = '', stage = Stage.add } = given;
      if (isApplied) misuse(`it taps ${phase} after apply. ${LATE_ADVICE}`);
      if (names.has(`${phase} ${name}`)) misuse(`it taps ${phase} twice as "${name}". ${TWICE_ADVICE}`);
      const fault = faultOf(tap, fn);
      if (fault !== undefined || typeof fn !== 'function') return misuse(`it taps ${phase} ${fault}`);
      names.add(`${phase} ${name}`);
      const run = tapMethod === 'tap' ? runSync : runAsync;
      // `given` may also have tapable's `before`.
      const full = { ...given, name: `${name}`, stage };
      const tapped = (...args: unknown[]) => run(phase, () => fn(...args), args[0]);
      Reflect.apply(Reflect.get(taps[phase], tapMethod), taps[phase], [full, tapped]);
    };
    return { tap: reject, tapPromise: reject, tapAsync: reject, [tapMethod]: register };
  };
  const get = (_: object, name: unknown): object =>
    isPhase(name)
      ? hookOf(name)
      : misuse(`there is no hook "${String(name)}". There are ${Object.keys(TAP_METHOD).join(', ')}`);
  runSync('apply', () => apply(new Proxy<object>({}, { get }) as Hooks));
  isApplied = true;
}

const TWICE_ADVICE = 'Give the second tap another name';
const LATE_ADVICE = 'Tap synchronously in apply: asynchronous work belongs inside the hooks';

/** Describes a mistake in the arguments of a tap, completing "it taps resolve …"; undefined if there is none. */
function faultOf(tap: unknown, fn: unknown): string | undefined {
  const given: { name?: unknown; stage?: unknown } = isObject(tap) ? tap : { name: tap };
  if (typeof given.name !== 'string' || given.name === '')
    return "without a name. Pass the plugin's name as first argument";
  if ('stage' in given && !Number.isFinite(given.stage))
    return `at a stage that is not a number. Stage has ${Object.keys(Stage).join(', ')}`;
  return typeof fn === 'function' ? undefined : 'with something that is not a function. Give one';
}
