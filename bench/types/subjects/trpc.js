/**
 * tRPC: a procedure for each file, a router for each area, and one router that combines the areas. Its errors have no
 * types.
 */
import * as shapes from '../shapes.js';

const routeFile = (index) => `src/routes/${shapes.nameOf(index)}.ts`;

function route(index) {
  const { params } = shapes;
  const opening = (names) => `import { TRPCError } from '@trpc/server';
import { t } from '../../trpc.js';
${shapes.imports(names, 2)}
export default t.procedure`;
  if (shapes.reads(index))
    return `${opening('find, list')}.input(z.object({ params: ${params}, query: ${shapes.query(index)} })).query(async ({ input: { params, query } }) => {
${shapes.reading(index, `throw new TRPCError({ code: 'NOT_FOUND' })`)}});
`;
  return `${opening('save')}.input(z.object({ params: ${params}, body: ${shapes.body(index)} })).mutation(async ({ input: { params, body } }) => {
${shapes.writing(index, `throw new TRPCError({ code: 'CONFLICT' })`)}});
`;
}

function app(indices) {
  const used = shapes.areas.filter((area) => indices.some((index) => shapes.areaOf(index) === area));
  const routers = used.map((area) => {
    const members = indices
      .filter((index) => shapes.areaOf(index) === area)
      .map((index) => `  ${shapes.thingOf(index)}: r${index},\n`);
    return `const ${area} = t.router({\n${members.join('')}});\n`;
  });
  return {
    'src/trpc.ts': `import { initTRPC } from '@trpc/server';\nexport const t = initTRPC.create();\n`,
    'src/app.ts': `import { t } from './trpc.js';
${indices.map((index) => `import r${index} from './routes/${shapes.nameOf(index)}.js';\n`).join('')}
${routers.join('')}
export const app = t.router({ ${used.join(', ')} });
export type App = typeof app;
`,
  };
}

const calling = (index) => `api.${shapes.areaOf(index)}.${shapes.thingOf(index)}`;

function call(index) {
  if (shapes.reads(index))
    return `  const data = await ${calling(index)}.query({ params: { id: 1 }, query: { q: 'x' } });
  text = data.row.createdAt + data.more[0]?.at + data.n${index};
`;
  return `  const data = await ${calling(index)}.mutate({ params: { id: 1 }, body: ${shapes.SENT} });
  text = data.row.createdAt + data.extra;
`;
}

export default {
  title: 'tRPC',
  routeFile,
  route,
  app,
  opening: `import { createTRPCClient, httpBatchLink } from '@trpc/client';
import type { App } from './app.js';
const api = createTRPCClient<App>({ links: [httpBatchLink({ url: 'http://x' })] });
`,
  call,
  completion: `const answer = await ${calling(0)}.query({ params: { id: 1 }, query: {} });\nanswer.`,
};
