/**
 * Elysia with Eden: an app for each file, in groups of 25, since a chain of more than about 90 apps causes the error
 * TS2589.
 */
import * as shapes from '../shapes.js';

const routeFile = (index) => `src/routes/${shapes.nameOf(index)}.ts`;

function route(index) {
  const { params } = shapes;
  const opening = (names) => `import { Elysia } from 'elysia';
${shapes.imports(names, 2)}
export default new Elysia()`;
  if (shapes.reads(index))
    return `${opening('find, list')}.get('/${shapes.nameOf(index)}/:id', async ({ params, query, status }) => {
${shapes.reading(index, `return status(404, { message: 'no thing ' + params.id })`)}}, { params: ${params}, query: ${shapes.query(index)} });
`;
  return `${opening('save')}.post('/${shapes.nameOf(index)}/:id', async ({ params, body, status }) => {
${shapes.writing(
  index,
  `return status(409, { message: 'negative', price: body.price })`,
  (value) => `status(201, ${value})`,
)}}, { params: ${params}, body: ${shapes.body(index)} });
`;
}

function app(indices) {
  const groups = shapes.chunk(indices, 25);
  const joined = (names) => names.map((name) => `\n  .use(${name})`).join('');
  const files = groups.map((group, number) => [
    `src/groups/g${number}.ts`,
    `import { Elysia } from 'elysia';
${group.map((index) => `import r${index} from '../routes/${shapes.nameOf(index)}.js';\n`).join('')}
export default new Elysia()${joined(group.map((index) => `r${index}`))};
`,
  ]);
  const whole = `import { Elysia } from 'elysia';
${groups.map((_, number) => `import g${number} from './groups/g${number}.js';\n`).join('')}
export const app = new Elysia({ prefix: '/api' })${joined(groups.map((_, number) => `g${number}`))};
export type App = typeof app;
`;
  return { ...Object.fromEntries(files), 'src/app.ts': whole };
}

const calling = (index) => `api.api.${shapes.areaOf(index)}.${shapes.thingOf(index)}({ id: 1 })`;

// Eden's types require keys that have a default, and don't convert a Date.
const queryOf = (index) => `{ q: 'x', page: 1, sort${index}: 'asc' }`;

function call(index) {
  if (shapes.reads(index))
    return `  const r = await ${calling(index)}.get({ query: ${queryOf(index)} });
  if (r.data) text = r.data.row.title + r.data.more[0]?.title + r.data.n${index};
  else if (r.error?.status === 404) text = r.error.value.message;
`;
  return `  const r = await ${calling(index)}.post(${shapes.SENT});
  if (r.data) text = r.data.row.title + r.data.extra;
  else if (r.error?.status === 409) number = r.error.value.price;
`;
}

export default {
  title: 'Elysia Eden',
  routeFile,
  route,
  app,
  opening: `import { treaty } from '@elysiajs/eden';\nimport type { App } from './app.js';\nconst api = treaty<App>('http://x');\n`,
  call,
  completion: `const answer = await ${calling(0)}.get({ query: ${queryOf(0)} });\nif (answer.data) answer.data.`,
};
