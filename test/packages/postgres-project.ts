import type { App } from '../../app/entries/index.js';
import type { Peers } from '../../peers/index.js';
import { linkLibraries } from '../harness/libraries.js';
import { type Files, type Project, project } from '../harness/project.js';
import { MAIN } from '../harness/settings.js';
import { di, postRoute, route, service, wsModule } from '../harness/source.js';

/** A config with `postgres()`: its arguments, and options of it. */
export const config = (
  connection: string,
  options = '{}',
  more = '',
): string => `import { postgres } from '@fwkit/postgres';
import { defineConfig } from 'fwkit';
import pg from 'pg';
export default defineConfig({ plugins: [postgres({ ${connection} })], postgres: ${options}, ${more} });
`;

const files: Files = {
  'main.ts': MAIN,
  'services/shared.ts': service('(_ctx, { peers }) => peers'),
  'di/cart.ts': di('session', '() => 0'),
  'di/list.ts': di('session', '() => 0'),
  'api/plain.get.ts': route('get', '() => process.pid'),
  'api/visit.get.ts': route('get', '(_req, _res, ctx) => ({ cart: ctx.cart, list: ctx.list })'),
  'api/cart.post.ts': route('post', '(_req, _res, ctx) => { ctx.cart += 1; return ctx.cart; }'),
  'api/list.post.ts': route('post', '(_req, _res, ctx) => { ctx.list += 1; return ctx.list; }'),
  'api/count.get.ts': route('get', "(_req, _res, ctx) => ctx.rooms.count('tea')"),
  'api/lock.post.ts':
    postRoute(`({ query }, _res, ctx) => ctx.shared.lock('long', async ({ token, signal }) => {
       console.log('[locked]');
       if (query.aborts) await new Promise((done) => signal.addEventListener('abort', done));
       return { token, aborted: signal.aborted };
     })`),
  'ws/rooms/[room].ts': wsModule(`({ params, join, publish, send, onMessage }) => {
       join(params.room);
       send('joined');
       onMessage((data) => { publish(params.room, data); });
     }`),
};

/** An app that connects to PostgreSQL, in JavaScript, which finds pg. */
export function postgresProject(more: Files): Project {
  const made = project({ ...files, ...more }, 'js');
  linkLibraries(made, 'pg');
  return made;
}

/** The peers of an app, as its service has them. */
export function sharedOf({ ctx }: App): Peers {
  const { shared } = ctx as { readonly shared?: Peers };
  if (!shared) throw new Error('There is no service.');
  return shared;
}
