import { logSafely, type Project, type Runtime } from '../../kernel/index.js';
import { sessionFiles } from '../context/index.js';

import { SessionEnds } from './ends.js';
import { givenSecrets, noSecret } from './secrets.js';
import type { SessionBackend } from './sessions.js';
import { Signer } from './signer.js';
import { memoryOf, type SessionStore } from './store.js';

/** Modes in which a project may run with a random secret of this process. */
const MODES_WITHOUT_SECRET = ['development', 'test'];

/**
 * Open the storage of the sessions of `project`: the same for every version that the runtime serves, so that a reload
 * loses none. Throws a BootError where a secret is needed and not given.
 */
export async function openSessions(
  runtime: Runtime,
  project: Project,
  secrets: string | readonly string[],
  given: SessionStore | undefined,
): Promise<SessionBackend> {
  const real = givenSecrets(secrets, process.env.SESSION_SECRET);
  if (real.length === 0 && !process.env.FWK_SECRET?.trim() && !MODES_WITHOUT_SECRET.includes(project.mode))
    throw noSecret(project.display(sessionFiles(project)[0] ?? ''));
  const { peers } = runtime;
  const stores = await runtime.getOrCreate('session', () => {
    const stores = new Set<SessionStore>();
    runtime.onClose(async () => {
      for (const store of stores)
        try {
          await store.close?.();
        } catch (thrown) {
          logSafely(project.logger, 'error', 'The session store could not be closed', thrown);
        }
    });
    return stores;
  });
  if (given) stores.add(given);
  return {
    memory: given ? memoryOf(given, peers.lock, project.clock) : peers.memory('session'),
    ends: await runtime.getOrCreate('session.ends', () => new SessionEnds(peers, project.clock)),
    signer: new Signer(real.length > 0 ? real : [peers.secret('session')]),
  };
}
