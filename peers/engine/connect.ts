import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HealthStatus, healthOf, option } from '../../contributions/index.js';
import {
  BootError,
  isObject,
  type Logger,
  type Option,
  type OptionInput,
  type OptionValues,
  type Project,
  type Serving,
} from '../../kernel/index.js';
import { logSafely } from '../../scope/index.js';
import type { PeersEngine } from '../contract.js';
import { peersOf, spanMachines } from '../of-runtime.js';

/** An engine that has connections. */
export interface ConnectedEngine extends PeersEngine {
  /** Resolves when it is connected. Rejects with a BootError that says what keeps it from that, and has nothing open then. */
  open(): Promise<void>;
  /** The settings and the logger of the version that serves from now on. */
  use(settings: EngineSettings, logger: Logger): void;
  /** For `runtime.health`. */
  status(): HealthStatus;
  /** End the connections, when what was sent has left. Never rejects. */
  close(): Promise<void>;
}

export interface MachineConnection {
  /** The plugin's. */
  readonly name: string;
  readonly settings: EngineSettings;
  /** What the engine is made of, by the names that the plugin takes: it is told when that has changed in `fwk dev`. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** Called once in a runtime. */
  readonly make: () => Promise<ConnectedEngine>;
}

/**
 * Have the peers of an app reach other machines. To be called in a `serve` tap at `Stage.connect`, in each version: the engine outlives
 * them. A test that is given a machine of `testMachines()` uses that instead.
 */
export async function connectMachines(
  serving: Serving,
  { name, settings, make, given = {} }: MachineConnection,
): Promise<void> {
  const { runtime, project, onStart } = serving;
  if (project.mode === 'test' && peersOf(runtime).span === 'machines') return;
  const engine = await runtime.getOrCreate(`${name}.engine`, async () => {
    const made = await make();
    await made.open();
    runtime.onEnd(() => made.close());
    spanMachines(runtime, made);
    healthOf(runtime).add(name, () => made.status());
    return made;
  });
  await tellChanged(serving, name, given);
  onStart(() => engine.use(settings, project.logger));
}

/** Names of npm packages, and what tells their modes. */
const APP_NAME = /^[\w@./~-]{1,200}$/;

/** Whether an app can have that name among those of a broker. */
export const isAppName = (name: unknown): name is string => typeof name === 'string' && APP_NAME.test(name);

/**
 * What an app is called among those of a broker, where nothing else is said: by its package.json, and its mode where that is not
 * production, so that a test does not speak to people. Throws BootError where that has no name: `plugin` is whose option it is then, beside `option`.
 */
export async function appNameOf(
  { root, mode }: Pick<Project, 'root' | 'mode'>,
  plugin: string,
  option = 'client',
): Promise<string> {
  const manifest: unknown = await readFile(join(root, 'package.json'), 'utf8')
    .then((text) => JSON.parse(text))
    .catch(() => undefined);
  const name = isObject(manifest) ? manifest.name : undefined;
  if (!isAppName(name))
    throw new BootError({
      message: `${plugin}() needs a name for the app, and package.json has none. Add it there, or write ${plugin}({ ${option}, name: 'shop' }).`,
      code: 'FWK801',
    });
  return mode === 'production' ? name : `${name}.${mode}`;
}

/** The longest time that a timer takes, in milliseconds. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const milliseconds = (fallback: number, min: number): Option<number> =>
  option.custom<number>(
    fallback,
    `a whole number of milliseconds, from ${min} to ${MAX_TIMEOUT_MS}`,
    (value): value is number =>
      Number.isInteger(value) && Number(value) >= min && Number(value) <= MAX_TIMEOUT_MS,
  );

/** The options that every engine has: times in milliseconds, sizes in bytes. */
export const engineOptions = {
  /** How long an answer may take. Then the broker is away, and whoever asks is told so at once. */
  timeout: milliseconds(1_000, 10),
  /** How long a lock stays with a process that does not renew it. */
  lease: milliseconds(10_000, 500),
  /** How long a connection may give no sign before another takes its place. */
  giveUp: milliseconds(10_000, 100),
  /** How long connecting may take at boot. */
  bootLimit: milliseconds(5_000, 100),
  /** How often a process tells the others the number of its last message. */
  heartbeat: milliseconds(5_000, 100),
  /** How much may wait for the broker. What comes then does not leave, and is counted. */
  backlog: option.whole(16 * 1024 * 1024, { min: 1, unit: 'bytes' }),
  /** What is longer does not leave, and is counted. */
  maxMessage: option.whole(8 * 1024 * 1024, { min: 1, unit: 'bytes' }),
};

/** The values of the options of an engine. */
export type EngineSettings = OptionValues<typeof engineOptions>;

/** What `fwk.config` takes under the name of an engine. */
export type EngineOptions = OptionInput<typeof engineOptions>;

interface Told {
  /** What the connection was made of, as text, by name. */
  readonly first: ReadonlyMap<string, string>;
  /** Of what it was said last that it differs. */
  last: string;
}

/**
 * Say, once for each change, that a connection which outlives versions was made of something else than `fwk.config` has by now: of
 * functions, which are compared by their text, and of what JSON has. `plugin` is whose they are: `redis`. Where no versions follow, nothing is
 * compared.
 */
export async function tellChanged(
  { runtime, project, onStart }: Pick<Serving, 'runtime' | 'project' | 'onStart'>,
  plugin: string,
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (!runtime.reloads) return;
  const texts = new Map(Object.entries(given).map(([name, value]) => [name, textOf(value)]));
  const told = await runtime.getOrCreate<Told>(`${plugin}.given`, () => ({ first: texts, last: '' }));
  onStart(() => {
    const changed = [...texts].filter(([name, text]) => told.first.get(name) !== text);
    const last = JSON.stringify(changed);
    if (changed.length > 0 && last !== told.last) {
      const names = changed.map(([name]) => name).join(', ');
      const what = `fwk.config has another ${plugin}({ ${names} }) than the app has connected by`;
      logSafely(project.logger, 'warn', {
        code: 'FWK214',
        text: `${what}: start it again to have that used.`,
      });
    }
    told.last = last;
  });
}

const textOf = (value: unknown): string =>
  typeof value === 'function' ? String(value) : (JSON.stringify(value) ?? '');
