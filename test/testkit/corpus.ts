import { readFileSync, writeFileSync } from 'node:fs';
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
    finding: /^It has a subscription of peers\.on\('pulse'\) once more after an edit\.$/,
  },
  'registers cleanup in each version': {
    serve(serving, state) {
      serving.onStart(() => serving.runtime.onEnd(() => {}));
      beat(serving, state);
    },
    law: 'reload',
    finding: /^It has a function of runtime\.onEnd once more after an edit\.$/,
  },
  'removes its health check only if it has started': {
    serve(serving, state) {
      const remove = healthOf(serving.runtime).add('pulse', () => ({ ok: true }));
      serving.onStart(() => serving.onClose(remove));
      beat(serving, state);
    },
    law: 'rollback',
    finding: /^It leaves the health check "pulse" after a version was called off before its onStart\.$/,
  },
};

/** Projects by mistake. */
export const corpus: Readonly<Record<string, Broken>> = {
  ...registrations,
  'never starts': {
    serve: () => {},
    law: 'boot',
    finding: /^It does not work in a project that has just started: 0 versions beat/,
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
  'reads a file to claim files': {
    discover: () => (claims) => {
      readFileSync(import.meta.filename);
      claims.add('pulse', 'pulse/**');
    },
    law: 'discovery',
    finding: /^It uses fs\.readFileSync\(\) in apply or discover\. Do it in resolve or serve/,
  },
  'writes a file when routes are created': {
    load(project, file) {
      writeFileSync(path.join(project.root, 'pulse.txt'), '');
      return loadSoundly(project, file);
    },
    law: 'close',
    finding: /^It writes pulse\.txt when routes are only listed\. Write files while the app serves\.$/,
  },
  'wraps fetch': {
    serve(serving, state) {
      const inner = globalThis.fetch;
      globalThis.fetch = (...given) => inner(...given);
      beat(serving, state);
    },
    law: 'disable',
    finding: /^It replaces the global function fetch, and does not restore it\.$/,
  },
  'claims different files each time': {
    discover: (state) => (claims) => {
      claims.add('pulse', 'pulse/**');
      claims.add('pulse', `pulse-${state.count++}/**`);
    },
    law: 'discovery',
    finding: /^It claims .* at first, and then .*\. Claims are the same each time\.$/,
  },
  'generates different files each time': {
    generate: (state) => async (generation) => {
      if (generation.target !== 'skills') return;
      generation.emit({ path: 'pulse.md', contents: `${state.count++}`, ifExists: 'replace' });
    },
    law: 'generation',
    finding: /^It describes pulse\.md in two ways when it is asked for skills twice\.$/,
  },
  'writes while it generates': {
    generate:
      () =>
      async ({ project }) =>
        writeFileSync(path.join(project.root, 'pulse.txt'), ''),
    law: 'generation',
    finding: /^It writes pulse\.txt while files are generated\. Emit it: only the command writes\.$/,
  },
  'generates files outside the project': {
    generate:
      () =>
      async ({ emit }) =>
        emit({ path: '../pulse.txt', contents: '', ifExists: 'replace' }),
    law: 'generation',
    finding: /^It describes \.\.\/pulse\.txt for types, which is outside of the project\.$/,
  },
  'imports modules to generate files': {
    generate:
      () =>
      async ({ project }) => {
        await project.import({ file: 'pulse/one.js' });
      },
    law: 'generation',
    finding: /^It imports pulse\/one\.js to describe files\. Paths alone have to do\.$/,
  },
  'imports modules with Node to generate files, without awaiting': {
    generate:
      () =>
      async ({ project }) =>
        void import(path.join(project.source, 'pulse/one.js')),
    law: 'generation',
    finding: /^It imports pulse\/one\.js to describe files\./,
  },
  'sets a global variable': {
    serve(serving, state) {
      Reflect.set(globalThis, 'pulse', true);
      beat(serving, state);
    },
    law: 'disable',
    finding: /has the global variable pulse, and had not before it ran in this process\.$/,
  },
  'sets an environment variable': {
    serve(serving, state) {
      process.env.PULSE = '1';
      beat(serving, state);
    },
    law: 'disable',
    finding: /has the environment variable PULSE, /,
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
    finding: /^It does not work after it was disabled and enabled again: 0 versions beat/,
  },
  'leaks a timer': {
    async serve(serving, state) {
      await serving.runtime.getOrCreate('pulse.timer', forever);
      beat(serving, state);
    },
    law: 'close',
    finding: /^It leaves a repeating timer that is made at \S*corpus\.js:\d+ when the app has closed\.$/,
  },
  'leaks a listener of the process': {
    async serve(serving, state) {
      await serving.runtime.getOrCreate('pulse.signal', () => process.on('SIGUSR2', () => {}));
      beat(serving, state);
    },
    law: 'close',
    finding: /^It leaves a listener: process\.on\('SIGUSR2'\) is called, and process\.off\(\) is not\.$/,
  },
  'starts when routes are created': {
    load(project, file) {
      if (project.previous === undefined) forever();
      return loadSoundly(project, file);
    },
    law: 'close',
    finding: /^It leaves a repeating timer that is made at \S+ when routes were only listed\.$/,
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
    finding: /^It has a repeating timer that is made at \S+ once more after an edit\.$/,
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
    finding: /^It does not work after an edit: 0 versions beat/,
  },
  'hangs when a later version starts': {
    serve(serving, state) {
      serving.onStart(() => sleep(50));
      beat(serving, state);
    },
    law: 'reload',
    finding: /^It waits in onStart of a version that replaces another\./,
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
    finding: /^It begins a repeating timer that is made at \S+ before its version starts, /,
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
    finding: /^It has ended a repeating timer .* after a version was called off before its onStart\.$/,
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
    finding: /^It does not work after a version was called off before its onStart: 0 versions beat/,
  },
  'rethrows an import error': {
    load: (project, file) => project.import({ file }),
    law: 'errors',
    finding: /^pulse\/one\.js throws when it is imported, and what is reported does not name it: /,
  },
  'ignores a mistake': {
    load: (project, file) => project.load({ file }),
    law: 'errors',
    finding: /^pulse\/one\.js exports nothing, and nothing is reported\./,
  },
  'reports another file': {
    async load(project, file) {
      const module = await project.load({ file });
      if (module && !module.default)
        project.report('pulse', 'has a file that is no pulse. Fix it.', 'PULSE-1');
    },
    law: 'errors',
    finding: /^pulse\/one\.js exports nothing, and what is reported does not name it: pulse: has a file/,
  },
  'reports no sentence': {
    async load(project, file) {
      const module = await project.load({ file });
      if (module && !module.default) project.report(file, 'bad', 'PULSE-1');
    },
    law: 'errors',
    finding: /^pulse\/one\.js exports nothing, and what is reported is not a sentence: "bad"\.$/,
  },
};
