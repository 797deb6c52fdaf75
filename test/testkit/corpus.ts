import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { healthOf, peersOf, slotKey } from './kit.js';
import { type Broken, beat, loadSoundly } from './pulse.js';

/** Repeats for ever, and keeps no test from ending. */
const forever = () => setInterval(() => {}, 1_000).unref();

const LINE = slotKey<{ isOpen: boolean }>('pulse.line');

/** Plugins that register with the runtime without removing anything, by mistake. */
const registrations: Readonly<Record<string, Broken>> = {
  'subscribes again in each version': {
    serve(serving, state) {
      serving.onStart(() => void peersOf(serving.runtime).on('pulse', () => {}));
      beat(serving, state);
    },
    law: 'reload',
    finding: /^After an edit, a subscription of peers\.on\('pulse'\) is left over\. End it in onClose\.$/,
  },
  'registers cleanup in each version': {
    serve(serving, state) {
      serving.onStart(() => serving.runtime.onEnd(() => {}));
      beat(serving, state);
    },
    law: 'reload',
    finding: /^After an edit, a function of runtime\.onEnd is left over\. End it in onClose\.$/,
  },
  'removes its health check only if it has started': {
    serve(serving, state) {
      const remove = healthOf(serving.runtime).add('pulse', () => ({ ok: true }));
      serving.onStart(() => serving.onClose(remove));
      beat(serving, state);
    },
    law: 'rollback',
    finding: /^After a version was canceled before its onStart, the health check "pulse" is left over\./,
  },
};

/** Projects by mistake. */
export const corpus: Readonly<Record<string, Broken>> = {
  ...registrations,
  'never starts': {
    serve: () => {},
    law: 'boot',
    finding: /^After the start, the plugin does not work: 0 versions beat/,
  },
  'fails to resolve': {
    load: () => Promise.reject(new Error('no pulse')),
    law: 'boot',
    finding: /^Plugin "pulse" failed in resolve: no pulse/,
  },
  'claims files that no fixture has': {
    discover: () => (claims) => {
      claims.add('pulse', 'pulse/**');
      claims.add('echo', 'echo/**');
    },
    law: 'boot',
    finding: /^The fixtures have no file of the kind "echo"\. Add one that "echo\/\*\*" matches\.$/,
  },
  'loses the routes of other plugins': {
    routes: (_given, added) => added,
    law: 'boot',
    finding:
      /^Plugin "pulse" failed in resolve: it lost a route that it received: GET \/fwkit-testing of plugin "fwkit-testing"\./,
  },
  'changes the routes of other plugins in place': {
    routes(given, added) {
      for (const route of given) Object.assign(route, { label: '' });
      return [...given, ...added];
    },
    law: 'boot',
    finding: /^Plugin "pulse" failed in resolve: it changes a route, or the list of routes, in place/,
  },
  'writes a file when routes are created': {
    load(project, file) {
      writeFileSync(path.join(project.root, 'pulse.txt'), '');
      return loadSoundly(project, file);
    },
    law: 'close',
    finding: /^pulse\.txt is written when routes are only listed\. Write it in serve\.$/,
  },
  'wraps fetch': {
    serve(serving, state) {
      const inner = globalThis.fetch;
      globalThis.fetch = (...given) => inner(...given);
      beat(serving, state);
    },
    law: 'disable',
    finding: /^The global function fetch is replaced\. Restore it when the app closes\.$/,
  },
  'claims different files each time': {
    discover: (state) => (claims) => {
      claims.add('pulse', 'pulse/**');
      claims.add('pulse', `pulse-${state.count++}/**`);
    },
    law: 'discovery',
    finding: /^The plugin claims .* at first, and then .*\. Claim the same files each time\.$/,
  },
  'generates different files each time': {
    generate: (state) => async (generation) => {
      if (generation.target !== 'skills') return;
      generation.emit({ path: 'pulse.md', contents: `${state.count++}`, ifExists: 'replace' });
    },
    law: 'generation',
    finding: /^pulse\.md differs when skills are generated again\. Generate the same for the same paths\.$/,
  },
  'writes while it generates': {
    generate:
      () =>
      async ({ project }) =>
        writeFileSync(path.join(project.root, 'pulse.txt'), ''),
    law: 'generation',
    finding: /^pulse\.txt is written while files are generated\. Emit it: only the command writes\.$/,
  },
  'generates files outside the project': {
    generate:
      () =>
      async ({ emit }) =>
        emit({ path: '../pulse.txt', contents: '', ifExists: 'replace' }),
    law: 'generation',
    finding: /^\.\.\/pulse\.txt is generated for types, but it is outside of the project\.$/,
  },
  'imports modules to generate files': {
    generate:
      () =>
      async ({ project }) => {
        await project.import({ file: 'pulse/one.js' });
      },
    law: 'generation',
    finding: /^pulse\/one\.js is imported to generate files\. Use only paths\.$/,
  },
  'imports modules with Node to generate files, without awaiting': {
    generate:
      () =>
      async ({ project }) =>
        void import(path.join(project.source, 'pulse/one.js')),
    law: 'generation',
    finding: /^pulse\/one\.js is imported to generate files\./,
  },
  'sets a global variable': {
    serve(serving, state) {
      Reflect.set(globalThis, 'pulse', true);
      beat(serving, state);
    },
    law: 'disable',
    finding: /, the project has the global variable pulse\. Remove it when the app closes\.$/,
  },
  'sets an environment variable': {
    serve(serving, state) {
      process.env.PULSE = '1';
      beat(serving, state);
    },
    law: 'disable',
    finding: / has the environment variable PULSE\./,
  },
  'leaks resources when it is disabled': {
    async serve({ runtime, project, onStart, onClose }, state) {
      const line = project.inherit(LINE, () => ({ isOpen: false }));
      await runtime.getOrCreate('pulse.open', () => {
        line.isOpen = true;
      });
      if (line.isOpen) beat({ onStart, onClose }, state);
    },
    law: 'disable',
    finding: /^After the plugin was disabled and enabled again, the plugin does not work: 0 versions beat/,
  },
  'leaks a timer': {
    async serve(serving, state) {
      await serving.runtime.getOrCreate('pulse.timer', forever);
      beat(serving, state);
    },
    law: 'close',
    finding:
      /^After the app has closed, a repeating timer from \S*corpus\.js:\d+ is left over\. End it in runtime\.onEnd\.$/,
  },
  'leaks a listener of the process': {
    async serve(serving, state) {
      await serving.runtime.getOrCreate('pulse.signal', () => process.on('SIGUSR2', () => {}));
      beat(serving, state);
    },
    law: 'close',
    finding: /^A listener of process\.on\('SIGUSR2'\) is never removed\. Call process\.off\(\)\.$/,
  },
  'starts when routes are created': {
    load(project, file) {
      if (project.previous === undefined) forever();
      return loadSoundly(project, file);
    },
    law: 'close',
    finding:
      /^After routes were only listed, a repeating timer from \S+ is left over\. Create it in serve\.$/,
  },
  'keeps an interval after its version has ended': {
    serve({ runtime, onStart, onClose }, state) {
      onStart(() => {
        state.beating += 1;
        const timer = forever();
        runtime.onClose(() => clearInterval(timer));
        onClose(() => {
          state.beating -= 1;
        });
      });
    },
    law: 'reload',
    finding: /^After an edit, a repeating timer from \S+ is left over\. End it in onClose\.$/,
  },
  'starts only once': {
    async serve({ runtime, onStart, onClose }, state) {
      const once = await runtime.getOrCreate('pulse.once', () => ({ begun: false }));
      onStart(() => {
        if (once.begun) return;
        once.begun = true;
        state.beating += 1;
        const timer = forever();
        onClose(() => {
          state.beating -= 1;
          clearInterval(timer);
        });
      });
    },
    law: 'reload',
    finding: /^After an edit, the plugin does not work: 0 versions beat/,
  },
  'hangs when a later version starts': {
    serve(serving, state) {
      serving.onStart(() => sleep(50));
      beat(serving, state);
    },
    law: 'reload',
    finding: /^A version that replaces another waits in onStart\./,
  },
  'returns different routes each time': {
    label: (file, state) => `${file} ${state.beating}`,
    law: 'reload',
    finding: /^A reload (loses|adds) the route .*pulse\/one\.js/,
  },
  'starts before its version': {
    serve(serving, state) {
      const timer = forever();
      serving.onClose(() => clearInterval(timer));
      beat(serving, state);
    },
    law: 'rollback',
    finding:
      /^Before its version starts, there is already a repeating timer from \S+\. Create it in onStart\.$/,
  },
  'ends the previous version too early': {
    serve({ onStart, onClose }, state) {
      clearInterval(state.timer);
      onStart(() => {
        state.beating += 1;
        const timer = forever();
        state.timer = timer;
        onClose(() => {
          state.beating -= 1;
          clearInterval(timer);
        });
      });
    },
    law: 'rollback',
    finding: /^After a version was canceled before its onStart, a repeating timer .* is missing\./,
  },
  'does not roll back': {
    serve({ onActivate, onClose }, state) {
      let timer: NodeJS.Timeout | undefined;
      onActivate(() => {
        clearInterval(state.timer);
        state.timer = timer = forever();
        state.beating = 1;
        return () => {};
      });
      onClose(() => {
        clearInterval(timer);
        if (state.timer === timer) state.beating = 0;
      });
    },
    law: 'rollback',
    finding: /^After a version was canceled before its onStart, the plugin does not work: 0 versions beat/,
  },
  'rethrows an import error': {
    load: (project, file) => project.import({ file }),
    law: 'errors',
    finding: /^pulse\/one\.js throws when it is imported, but the problem does not name it: /,
  },
  'ignores a mistake': {
    load: (project, file) => project.load({ file }),
    law: 'errors',
    finding: /^pulse\/one\.js exports nothing, but nothing is reported\./,
  },
  'reports another file': {
    async load(project, file) {
      const module = await project.load({ file });
      if (module && !module.default)
        project.report('pulse', 'has a file that is no pulse. Fix it.', 'PULSE-1');
    },
    law: 'errors',
    finding: /^pulse\/one\.js exports nothing, but the problem does not name it: pulse: has a file/,
  },
  'reports no sentence': {
    async load(project, file) {
      const module = await project.load({ file });
      if (module && !module.default) project.report(file, 'bad', 'PULSE-1');
    },
    law: 'errors',
    finding: /^pulse\/one\.js exports nothing, but the problem is not a sentence: "bad"\.$/,
  },
};
