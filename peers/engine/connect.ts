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
import { peersOf, refuseSecondEngine, spanMachines } from '../of-runtime.js';

/** An engine that holds connections to a broker. */
export interface ConnectedEngine extends PeersEngine {
  /** Resolves when it is connected. Rejects with a BootError that states the reason, and leaves no connection open. */
  open(): Promise<void>;
  /** Use the settings and the logger of the version that serves from now on. */
  use(settings: EngineSettings, logger: Logger): void;
  /** The status for `runtime.health`. */
  status(): HealthStatus;
  /** Close the connections after pending messages have been sent. Never rejects. */
  close(): Promise<void>;
}

export interface MachineConnection {
  readonly name: string;
  readonly settings: EngineSettings;
  /** The options that the engine is created with, by name. `fwk dev` warns when one of them has changed. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** Creates the engine. Called once per runtime. */
  readonly make: () => Promise<ConnectedEngine>;
}

/**
 * Connect the peers of an app to other machines. Call it in a `serve` tap at `Stage.connect`, in each version: the engine outlives
 * versions. In a test with `testMachines()`, it does nothing, because those machines are connected already.
 */
export async function connectMachines(
  serving: Serving,
  { name, settings, make, given = {} }: MachineConnection,
): Promise<void> {
  const { runtime, project, onStart } = serving;
  if (project.mode === 'test' && peersOf(runtime).span === 'machines') return;
  const engine = await runtime.getOrCreate(`${name}.engine`, async () => {
    const created = await make();
    // Not after the connection, which may fail for another reason.
    refuseSecondEngine(runtime, created);
    await created.open();
    runtime.onEnd(() => created.close());
    spanMachines(runtime, created);
    healthOf(runtime).add(name, () => created.status());
    return created;
  });
  await tellChanged(serving, name, given);
  onStart(() => engine.use(settings, project.logger));
}

/** Names of npm packages, with an optional mode such as `.test`. */
const APP_NAME = /^[\w@./~-]{1,200}$/;

/** Whether `name` can identify an app in a broker. */
export const isAppName = (name: unknown): name is string => typeof name === 'string' && APP_NAME.test(name);

/**
 * The default name of an app in a broker: the name in package.json, followed by the mode outside of production, so that a test does not
 * reach real users. Throws BootError without a name. `plugin` and `option` are the names that the error suggests.
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
      message: `${plugin}() needs a name for the app, and package.json has no "name". Add it there, or write ${plugin}({ ${option}, name: 'shop' }).`,
      code: 'FWK801',
    });
  return mode === 'production' ? name : `${name}.${mode}`;
}

/** The longest delay of a timer, in milliseconds. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const milliseconds = (fallback: number, min: number): Option<number> =>
  option.custom<number>(
    fallback,
    `a whole number of milliseconds, from ${min} to ${MAX_TIMEOUT_MS}`,
    (value): value is number =>
      Number.isInteger(value) && Number(value) >= min && Number(value) <= MAX_TIMEOUT_MS,
  );

/** The options of every engine: times in milliseconds, sizes in bytes. */
export const engineOptions = {
  /** The timeout of a command. After it, the broker counts as unavailable, and further commands fail immediately. */
  timeout: milliseconds(1_000, 10),
  /** How long a process keeps a lock without renewing it. */
  lease: milliseconds(10_000, 500),
  /** How long a connection may be silent before it is replaced. */
  giveUp: milliseconds(10_000, 100),
  /** How long connecting may take at startup. */
  bootLimit: milliseconds(5_000, 100),
  /** How often a process sends the number of its last message to the others. */
  heartbeat: milliseconds(5_000, 100),
  /** The size of the queue of messages for the broker. Messages beyond it are dropped and counted. */
  backlog: option.integer(16 * 1024 * 1024, { min: 1, unit: 'bytes' }),
  /** Longer messages are not sent, and are counted. */
  maxMessage: option.integer(8 * 1024 * 1024, { min: 1, unit: 'bytes' }),
};

/** The values of the options of an engine. */
export type EngineSettings = OptionValues<typeof engineOptions>;

/** The options in `fwk.config` under the name of an engine. */
export type EngineOptions = OptionInput<typeof engineOptions>;

/**
 * Warn, once for each change, that the options in `fwk.config` differ from those of a connection that outlives versions. Functions are
 * compared by their source text, other values as JSON. `plugin` is its name, such as `redis`.
 */
export async function tellChanged(
  { runtime, project, onStart }: Pick<Serving, 'runtime' | 'project' | 'onStart'>,
  plugin: string,
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (!runtime.reloads) return;
  const texts = new Map(Object.entries(given).map(([name, value]) => [name, textOf(value)]));
  const connected = await runtime.getOrCreate(`${plugin}.given`, () => ({ first: texts, last: '' }));
  onStart(() => {
    const changed = [...texts].filter(([name, text]) => connected.first.get(name) !== text);
    const last = JSON.stringify(changed);
    if (changed.length > 0 && last !== connected.last) {
      const names = changed.map(([name]) => name).join(', ');
      logSafely(project.logger, 'warn', {
        code: 'FWK214',
        text: `${plugin}({ ${names} }) in fwk.config has changed since the app connected. Restart the app to apply the change.`,
      });
    }
    connected.last = last;
  });
}

const textOf = (value: unknown): string =>
  typeof value === 'function' ? String(value) : (JSON.stringify(value) ?? '');
