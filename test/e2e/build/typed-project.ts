import type { Files } from '../../harness/project.js';

/** Uses that compile. */
export const right: Files = {
  'services/user-store.ts': `import { service } from 'fwkit';
export class UserStore {
  readonly #users = new Map<string, { id: string; name: string }>();
  find(id: string) {
    return this.#users.get(id) ?? null;
  }
}
export default service(() => new UserStore());
`,
  'services/later.ts': `import { service } from 'fwkit';
export default service(async (_ctx, { onDestroy }) => {
  onDestroy(async () => {});
  return { ready: true };
});
`,
  'services/billing/invoices.ts': `import { service } from 'fwkit';
export default service((ctx) => {
  const ready: boolean = ctx.later.ready;
  ctx.logger.info('made');
  return { ready, first: () => ctx.userStore.find('1')?.name, region: ctx.settings.region };
});
`,
  'di/settings.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'singleton', value: { region: 'north' as 'north' | 'south' } });
`,
  'di/visitor.ts': `import { di } from 'fwkit';
export default di({
  lifetime: 'request',
  value: (ctx, { req, onDestroy }) => {
    onDestroy(() => {});
    return { name: req?.header('x-name') ?? 'nobody', region: ctx.settings.region };
  },
});
`,
  'di/profile.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'request', value: async (ctx) => ({ of: ctx.visitor.name }) });
`,
  'api/users/[id].get.ts': `import { type HttpRequest, type HttpResponse, get, type RuntimeCtx } from 'fwkit';
export default get((req: HttpRequest<'/api/users/:id'>, res: HttpResponse, ctx: RuntimeCtx) => {
  const id: string = req.params.id;
  res.status(200).header('x-a', 'b').type('application/json').cookie('a', id, { httpOnly: true });
  return ctx.userStore.find(id);
});
`,
  'api/users/[id]/files/[...path].get.ts': `import { type HttpRequest, get } from 'fwkit';
export default get((req: HttpRequest<'/api/users/:id/files/*path'>) => {
  const both: string = req.params.id + req.params.path;
  return both;
});
`,
  'api/plain.get.ts': `import { get } from 'fwkit';
export default get(async (req, res, ctx) => {
  const name: string | undefined = ctx.userStore.find(req.params.id ?? '')?.name;
  const region: 'north' | 'south' = ctx.visitor.region;
  const of: string = (await ctx.profile).of;
  const invoice: string | undefined = ctx.billingInvoices.first();
  const tags: string[] = req.url.searchParams.getAll('tag');
  const first: string | undefined = req.query.tag;
  const header: string | undefined = req.header('x-a');
  const gone: boolean = req.signal.aborted;
  res.clearCookie('a');
  ctx.logger.warn('a');
  return { name, region, of, invoice, tags, first, header, gone };
}).meta({ level: 1 });

declare module 'fwkit' {
  interface RouteMeta {
    level?: number;
  }
}
`,
  'api/login.post.ts': `import { error, post } from 'fwkit';
export default post((req) => {
  if (!req.body) throw error(400, { message: 'no body' });
  throw error(500, 'text');
});
`,
  'api/upload.post.ts': `import type { Readable } from 'node:stream';
import { type HttpRequest, type FilePart, type Part, post } from 'fwkit';
export default post(async ({ body }: HttpRequest<never, AsyncIterable<Part>>) => {
  const fields: Exclude<Part, FilePart>[] = [];
  for await (const part of body) {
    if (!('stream' in part)) {
      fields.push(part);
      continue;
    }
    const { filename, type, headers }: FilePart = part;
    const stream: Readable = part.stream.resume();
    fields.push({ name: filename + type + headers['content-type'], value: String(stream.readable) });
  }
  return fields;
}).meta({ body: 'stream', bodyLimit: 1024 });
`,
  'web/get.ts': `import { get, view } from 'fwkit';
export default get(() => view('home', { title: 'Home' }));
`,
  'middlewares/1.trace.ts': `import { error, middleware } from 'fwkit';
export default middleware(async (req, res, ctx, next) => {
  const level: number | undefined = req.route.meta.level;
  if (ctx.visitor.name === '') throw error(401, 'who are you');
  res.header('x-level', String(level));
  return next();
});
`,
  'fwk.config.ts': `import { defineConfig } from 'fwkit';
export default defineConfig({ disable: ['views'], http: { bodyLimit: 1024 } });
`,
  'lib/plugin.ts': `import type { Plugin } from 'fwkit/plugin';
export const plugin: Plugin = {
  name: 'mine',
  needs: ['http'],
  apply(hooks) {
    hooks.resolve.tapPromise('mine', async (routes) => routes);
    hooks.serve.tapPromise('mine', async (serving) => serving.onClose(() => {}));
  },
};
`,
};

/** Uses that do not: such a line ends with the codes it may be refused with, `//! TS2322 TS2345`. */
export const wrong: Files = {
  'api/users/[id].put.ts': `import { type HttpRequest, put, type RuntimeCtx } from 'fwkit';
export default put((req: HttpRequest<'/api/users/:id'>, _res, ctx: RuntimeCtx) => {
  const id: number = req.params.id; //! TS2322
  req.params.idd; //! TS2339 TS2551
  ctx.userStor.find('1'); //! TS2339 TS2551
  ctx.userStore.find(1); //! TS2345
  const name: number | undefined = ctx.userStore.find('1')?.name; //! TS2322
  ctx.profile.of; //! TS2339 TS2551
  ctx.anything; //! TS2339 TS2551
  return { id, name };
});
`,
  'api/unknown.get.ts': `import { type HttpRequest, get } from 'fwkit';
export default get((req: HttpRequest<'/api/user/:id'>) => { //! TS2344
  return req.path;
});
`,
  'api/members.get.ts': `import { defineConfig, error, get } from 'fwkit';
import { definePlugin } from 'fwkit/plugin';
const cron = () => definePlugin({ name: 'cron', apply() {} });
export default get((req, res, ctx) => {
  req.params.idd; //! TS2339 TS2551 // on type 'ProjectParams'
  res.status('200'); //! TS2345
  res.cookie('a', 'b', { httpOnl: true }); //! TS2353 TS2561
  req.query.a.length; //! TS2532 TS18048
  ctx.userStor; //! TS2339 TS2551
  throw error('400', 'text'); //! TS2345
});
defineConfig({ plugin: [] }); //! TS2353 TS2561
defineConfig({ plugins: [cron] }); //! TS2322 // is not assignable to type 'PluginObject'
defineConfig({ http: { bodylimit: 1 } }); //! TS2561 // does not exist in type 'HttpOptions'. Did you mean to write 'bodyLimit'?
defineConfig({ openapi: { documents: { a: { path: '/a', pages: '/b' } } } }); //! TS2561 // 'pages' does not exist in type 'FurtherDocument'
get({ security: [{ oauth: 'read' }] }, () => 1); //! TS2322 TS2769 TS2345
get(() => 1).meta({ openapi: { operationID: 'x' } }); //! TS2561 // 'operationID' does not exist in type 'OperationPatch'
defineConfig({ compression: { treshold: 1 } }); //! TS2561 // does not exist in type 'CompressionOptions'
`,
  'api/upload.put.ts': `import { put } from 'fwkit';
export default put(() => {}).meta({ body: 'streams' }); //! TS2322
`,
  'services/captive.ts': `import { service } from 'fwkit';
export default service((ctx) => {
  return { from: ctx.visitor.name }; //! TS2339 TS2551
});
`,
  'di/captive-value.ts': `import { di } from 'fwkit';
export default di({
  lifetime: 'singleton',
  value: (ctx) => ({ from: ctx.visitor.name }), //! TS2339 TS2551
});
`,
  'di/forever.ts': `import { di } from 'fwkit';
export default di({
  lifetime: 'forever', //! TS2322 TS2769
  value: 1,
});
`,
  'lib/plugin.ts': `import type { Plugin } from 'fwkit/plugin';
export const plugin: Plugin = {
  name: 'mine',
  apply(hooks) {
    hooks.resolve.tap('mine', async (routes: readonly never[]) => routes); //! TS2339 TS2551
  },
};
`,
};
