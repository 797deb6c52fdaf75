import { healthOf, peersOf } from './kit.js';
import { type Broken, beat } from './pulse.js';

/** Plugins that register with the runtime what no version removes, by what is wrong with them. */
export const registrations: Readonly<Record<string, Broken>> = {
  'subscribes once more with each version': {
    serve(serving, state) {
      serving.onStart(() => void peersOf(serving.runtime).on('pulse', () => {}));
      beat(serving, state);
    },
    law: 'reload',
    finding: /^It has a subscription of peers\.on\('pulse'\) once more after an edit\.$/,
  },
  'registers an end with each version': {
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
