import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BootError,
  type HealthStatus,
  isObject,
  type Logger,
  type PeersEngine,
  type Project,
  type Serving,
} from '../../kernel/index.js';
import type { EngineSettings } from './options.js';
import { tellChanged } from './tell-changed.js';

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

/** How a plugin connects machines. */
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
  if (project.mode === 'test' && runtime.peers.span === 'machines') return;
  const engine = await runtime.getOrCreate(`${name}.engine`, async () => {
    const made = await make();
    await made.open();
    runtime.onEnd(() => made.close());
    runtime.spanMachines(made);
    runtime.health.add(name, () => made.status());
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
