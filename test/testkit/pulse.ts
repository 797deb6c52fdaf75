import type { BaseRoute, Hooks, Plugin, Project, Serving } from '../../kernel/index.js';
import type { PluginFixtures } from '../../testkit/index.js';
import { definePlugin } from './kit.js';

/** The state that the parts of the plugin share. */
export interface Pulse {
  /** How many versions beat. */
  beating: number;
  /** How often a part was asked for something. */
  count: number;
  timer?: NodeJS.Timeout;
}

/** A sound plugin, in parts that can be replaced by broken ones: files under `pulse/` export a function, called again and again. */
export interface Parts {
  readonly discover?: (pulse: Pulse) => Parameters<Hooks['discover']['tap']>[1];
  readonly load?: (project: Project, file: string, pulse: Pulse) => Promise<unknown>;
  readonly routes?: (given: readonly BaseRoute[], added: readonly BaseRoute[]) => readonly BaseRoute[];
  readonly label?: (file: string, pulse: Pulse) => string;
  readonly serve?: (serving: Serving, pulse: Pulse) => unknown;
  readonly generate?: (pulse: Pulse) => Parameters<Hooks['generate']['tapPromise']>[1];
}

/** A plugin that breaks one law. */
export interface Broken extends Parts {
  readonly law: string;
  readonly finding: RegExp;
}

export interface Subject {
  readonly plugin: Plugin;
  readonly fixtures: PluginFixtures;
}

export function pulse(parts: Parts = {}): Subject {
  const state: Pulse = { beating: 0, count: 0 };
  const { load = loadSoundly, serve = beat, label = (file) => file, routes: made = appended } = parts;
  const plugin = definePlugin({
    name: 'pulse',
    apply(hooks) {
      hooks.discover.tap('pulse', parts.discover?.(state) ?? ((claims) => claims.add('pulse', 'pulse/**')));
      hooks.resolve.tapPromise('pulse', async (routes, project) => {
        const added = project.files('pulse').map(async ({ file, kind }) => {
          await load(project, file, state);
          return { kind, file, protocol: 'pulse', id: label(file, state), label: label(file, state) };
        });
        return made(routes, await Promise.all(added));
      });
      hooks.serve.tapPromise('pulse', async (serving) => void (await serve(serving, state)));
      if (parts.generate) hooks.generate.tapPromise('pulse', parts.generate(state));
    },
  });
  const works = () => {
    if (state.beating !== 1) throw new Error(`${state.beating} versions beat`);
  };
  return { plugin, fixtures: { files: { 'pulse/one.js': 'export default () => {};\n' }, works } };
}

const appended: NonNullable<Parts['routes']> = (given, added) => [...given, ...added];

export async function loadSoundly(project: Project, file: string): Promise<unknown> {
  const module = await project.load({ file });
  if (module && typeof module.default !== 'function')
    project.report(file, 'is no pulse. Export default a function.', 'PULSE-1');
  return module?.default;
}

/** Begin when the version starts, and end with it. */
export function beat({ onStart, onClose }: Pick<Serving, 'onStart' | 'onClose'>, pulse: Pulse): void {
  onStart(() => {
    pulse.beating += 1;
    const timer = setInterval(() => {}, 1_000);
    onClose(() => {
      pulse.beating -= 1;
      clearInterval(timer);
    });
  });
}
