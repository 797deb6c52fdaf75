/** Hono with `hc`: an app for each file, in groups of 25. */
import * as shapes from '../shapes.js';

const routeFile = (index) => `src/routes/${shapes.nameOf(index)}.ts`;

function route(index) {
  const { params } = shapes;
  const opening = (names) => `import { Hono } from 'hono';
import { zValidator } from '@hono/zod-validator';
${shapes.imports(names, 2)}
export default new Hono()`;
  const json = (status) => (value) => `c.json(${value}, ${status})`;
  if (shapes.reads(index))
    return `${opening('find, list')}.get('/${shapes.nameOf(index)}/:id', zValidator('param', ${params}), zValidator('query', ${shapes.query(index)}), async (c) => {
  const params = c.req.valid('param');
  const query = c.req.valid('query');
${shapes.reading(index, `return c.json({ message: 'no thing ' + params.id }, 404)`, json(200))}});
`;
  return `${opening('save')}.post('/${shapes.nameOf(index)}/:id', zValidator('param', ${params}), zValidator('json', ${shapes.body(index)}), async (c) => {
  const params = c.req.valid('param');
  const body = c.req.valid('json');
${shapes.writing(index, `return c.json({ message: 'negative', price: body.price }, 409)`, json(201))}});
`;
}

function app(indices) {
  const groups = shapes.chunk(indices, 25);
  const joined = (names) => names.map((name) => `\n  .route('/', ${name})`).join('');
  const files = groups.map((group, number) => [
    `src/groups/g${number}.ts`,
    `import { Hono } from 'hono';
${group.map((index) => `import r${index} from '../routes/${shapes.nameOf(index)}.js';\n`).join('')}
export default new Hono()${joined(group.map((index) => `r${index}`))};
`,
  ]);
  const whole = `import { Hono } from 'hono';
${groups.map((_, number) => `import g${number} from './groups/g${number}.js';\n`).join('')}
export const app = new Hono().basePath('/api')${joined(groups.map((_, number) => `g${number}`))};
export type App = typeof app;
`;
  return { ...Object.fromEntries(files), 'src/app.ts': whole };
}

const calling = (index) => `api.api.${shapes.areaOf(index)}.${shapes.thingOf(index)}[':id']`;

function call(index) {
  if (shapes.reads(index))
    return `  const r = await ${calling(index)}.$get({ param: { id: '1' }, query: { q: 'x' } });
  if (r.status === 200) {
    const data = await r.json();
    text = data.row.createdAt + data.more[0]?.at + data.n${index};
  } else if (r.status === 404) text = (await r.json()).message;
`;
  return `  const r = await ${calling(index)}.$post({ param: { id: '1' }, json: ${shapes.SENT} });
  if (r.status === 201) {
    const data = await r.json();
    text = data.row.createdAt + data.extra;
  } else if (r.status === 409) number = (await r.json()).price;
`;
}

export default {
  title: 'Hono hc',
  routeFile,
  route,
  app,
  opening: `import { hc } from 'hono/client';\nimport type { App } from './app.js';\nconst api = hc<App>('http://x');\n`,
  call,
  completion: `const answer = await ${calling(0)}.$get({ param: { id: '1' }, query: {} });\nif (answer.status === 200) (await answer.json()).`,
};
