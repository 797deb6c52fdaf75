import type { LeaseStore } from 'fwkit/peers';
import { listOf } from './memory.js';
import type { Names } from './names.js';
import type { ScriptRunner } from './script-runner.js';
import { LOCK, RENEW, UNLOCK } from './scripts.js';

/** Locks that Redis keeps: a key for each, with whoever holds it, which ends by itself. */
export const redisLeases = (names: Names, scripts: ScriptRunner): LeaseStore => ({
  async acquire(name, holder, lease) {
    const keys = [names.lock(name), names.token];
    const [token = 0] = listOf(await scripts.run(LOCK, keys, [holder, String(lease)])).map(Number);
    return token > 0 ? token : undefined;
  },
  renew: async (name, holder, lease) =>
    Number(await scripts.run(RENEW, [names.lock(name)], [holder, String(lease)])) === 1,
  release: (name, holder) => scripts.run(UNLOCK, [names.lock(name)], [holder]),
});
