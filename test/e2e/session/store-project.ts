import { type Dev, spawnDev } from '../../harness/fwk.js';
import type { Files, Project } from '../../harness/project.js';
import { configFile, di, postRoute, route } from '../../harness/source.js';

/** An fwk.config with options of sessions; `more` is imported first. */
export const config = (session: string, more = '') => `${more}\n${configFile(`{ session: ${session} }`)}`;

export const files: Files = {
  'di/cart.ts': di('session', `() => ({ items: [] })`),
  'api/cart.ts': route('get', '(req, res, ctx) => ctx.cart.items'),
  'api/add/[item].ts': route('post', '(req, res, ctx) => { ctx.cart.items.push(req.params.item); }'),
  'api/plain.ts': route('get', '() => 1'),
  // Moves the server's clocks on: expiry is tested without waiting for it.
  'api/later/[seconds].ts': postRoute(`(req) => {
       for (const clock of [Date, performance]) {
         const { now } = clock;
         clock.now = () => now.call(clock) + Number(req.params.seconds) * 1000;
       }
     }`),
};

/** One file per session: an example of a custom store. Each call is printed. */
const fileStore = `import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
const file = (id) => '.sessions/' + id;
const tell = (...words) => console.log('[store ' + words.join(' ') + ']');
export const store = {
  async get(id) {
    await null;
    try { return readFileSync(file(id), 'utf8'); } catch { return null; }
  },
  async set(id, text, maxAge) {
    await null;
    if (process.env.FULL) throw new Error('no space left');
    mkdirSync('.sessions', { recursive: true });
    writeFileSync(file(id), text);
    tell('set', maxAge);
    return 'OK';
  },
  async delete(id) {
    rmSync(file(id), { force: true });
    tell('delete');
  },
  async close() { tell('close'); },
};
`;
export const withStore: Files = {
  ...files,
  'lib/store.ts': fileStore,
  'fwk.config.ts': config('{ store, maxAge: 100 }', `import { store } from './lib/store.js';`),
};

/** Serve the project while `use` runs; resolves with all that was printed. */
export async function running(made: Project, use: (server: Dev) => Promise<void>): Promise<string> {
  const server = await spawnDev(made);
  try {
    await use(server);
  } finally {
    await server.stop();
  }
  return server.output.all;
}
