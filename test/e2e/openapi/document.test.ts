import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { copyOf } from '../../examples/example.js';
import { fwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { project } from '../../harness/project.js';
import { unsampled } from '../../harness/sample.js';
import { configFile, module, tells } from '../../harness/source.js';
import { FIXTURE } from './fixture.js';
import { Judged } from './tools.js';

/** A JSON object whose members may all be read. */
interface Part {
  readonly [key: string]: Part;
}

const test = suite('the document');

const made = project(FIXTURE);
linkLibraries(made);
const printed = fwk(made, 'routes', '--openapi');
const documentOf = async (): Promise<Part> => JSON.parse((await printed).stdout) as Part;

const at = async (path: string, method: string): Promise<Part> => {
  const operation = (await documentOf()).paths?.[path]?.[method];
  if (!operation) throw new Error(`There is no ${method} ${path}.`);
  return operation;
};

test('prints the document to stdout and warnings about it to stderr', async () => {
  const { status, stderr } = await printed;
  const lacks = (part: string) =>
    `FWK422 ${made.label('api/untold.get.ts')}: GET /api/untold has a "${part}" schema that cannot be converted to JSON Schema. Wrap it in toStandardJsonSchema() of @valibot/to-json-schema.\n`;
  assert.equal({ status, stderr }, { status: 0, stderr: lacks('response.200') + lacks('query') });
  const { openapi, info, security, servers } = await documentOf();
  assert.equal({ openapi, info, security, servers } as object, {
    openapi: '3.1.0',
    info: {
      title: 'sixty',
      version: '1.2.3',
      description: 'Books in three libraries.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    security: [],
    servers: [{ url: '/' }],
  });
});

test('the license of the options takes precedence over package.json and may be any text', async () => {
  const config = configFile("{ openapi: { license: 'Terms of Sixty' } }");
  const licensed = project({
    'api/x.get.ts': tells('get', 'x'),
    'fwk.config.ts': config,
    'package.json': JSON.stringify({ license: 'MIT', type: 'module' }),
  });
  const { info } = JSON.parse((await fwk(licensed, 'routes', '--openapi')).stdout) as Part;
  assert.equal(info?.license as object, { name: 'Terms of Sixty' });
});

test('paths are sorted and unique; pages, sockets and excluded routes are omitted', async () => {
  const { paths = {} } = await documentOf();
  const names = Object.keys(paths);
  assert.equal(names, [...names].sort());
  for (const path of ['/api/files/{rest}', '/api/k%C3%A4se%20%7Bx%7D', '/api/things/{thing}', '/login'])
    assert.ok(names.includes(path), path);
  for (const path of ['/', '/ws/room', '/openapi.json', '/api/things/{id}', '/api/internal'])
    assert.not.ok(names.includes(path), path);
  assert.equal(Object.keys(paths['/api/any'] ?? {}), ['get', 'post', 'put', 'patch', 'delete']);
  assert.equal((await at('/api/things/{thing}', 'post')).parameters as object, [
    { name: 'thing', in: 'path', required: true, schema: { type: 'string' } },
  ]);
  // OpenAPI cannot describe the catch-all and the parameter as two paths: each method has the more specific route.
  for (const [method, isCatchAll] of [
    ['get', undefined],
    ['post', true],
  ] as const) {
    const [parameter] = (await at('/api/both/{all}', method)).parameters as object as Part[];
    assert.equal([parameter?.name, parameter?.['x-catch-all']], ['all', isCatchAll]);
  }
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  assert.ok(operations.length >= 60);
  const ids = operations.map(({ operationId }) => String(operationId));
  assert.is(new Set(ids).size, ids.length);
  for (const id of ['getApiAB', 'getApiAB_2', 'getApiKaseX', 'getApiV1ZodBooksById', 'getApiFilesAllRest'])
    assert.ok(ids.includes(id), id);
});

test('requests', async () => {
  const list = await at('/api/v1/zod/books', 'get');
  assert.equal(
    (list.parameters as object as { name: string; required?: boolean }[]).map(({ name }) => name),
    ['page', 'tags', 'free'],
  );
  const one = await at('/api/v1/zod/books/{id}', 'put');
  assert.equal(one.parameters as object, [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: 'The number of the book',
      schema: { type: 'number' },
    },
    { name: 'x-trace', in: 'header', schema: { type: 'string' } },
  ]);
  assert.equal(Object.keys((await at('/api/upload', 'post')).requestBody?.content ?? {}), [
    'multipart/form-data',
  ]);
  assert.equal(Object.keys((await at('/login', 'post')).requestBody?.content ?? {}), [
    'application/x-www-form-urlencoded',
    'application/json',
  ]);
  assert.equal(Object.keys((await at('/api/stream', 'post')).requestBody?.content ?? {}), ['*/*']);
  assert.is((await at('/api/plain', 'get')).requestBody, undefined);
});

test('responses', async () => {
  const statuses = async (path: string, method: string) =>
    Object.keys((await at(path, method)).responses ?? {});
  assert.equal(await statuses('/api/v1/zod/books', 'post'), ['201', '409', '415', '422', 'default']);
  assert.equal(await statuses('/api/v1/zod/books/{id}', 'delete'), ['204', '422', 'default']);
  assert.equal(await statuses('/api/plain', 'get'), ['2XX', '4XX', 'default']);
  assert.equal(await statuses('/api/files/{rest}', 'get'), ['2XX', '4XX', 'default']);
  const events = (await at('/api/events', 'get')).responses?.[200]?.content?.['text/event-stream']?.schema
    ?.oneOf;
  const names = (events as object as Part[]).map(({ properties }) => properties?.event?.const as unknown);
  assert.equal(names, ['message', 'closed']);
  assert.equal(await statuses('/api/secret/b', 'get'), ['401', '2XX', 'default']);
  const both = (await at('/login', 'post')).responses?.[422]?.content;
  assert.equal(Object.keys(both ?? {}), ['application/json', 'application/problem+json']);
});

test('documents limits, timeouts and caches of a route and of the app', async () => {
  const ref = (name: string) => ({ $ref: `#/components/responses/${name}` });
  const all = async (path: string) => (await at(path, 'get')).responses;
  assert.equal((await all('/api/limited'))?.[429] as object, ref('TooManyRequests'));
  const own = (await all('/api/limited/own'))?.[429];
  assert.equal(Object.keys(own?.content ?? {}), ['application/json', 'application/problem+json']);
  assert.ok(own?.headers?.['Retry-After']);
  assert.equal((await all('/api/slow'))?.[503] as object, ref('TookTooLong'));
  const { headers } = (await all('/api/cached'))?.[200] ?? {};
  assert.is(headers?.['Cache-Control']?.example as unknown, 'max-age=60, stale-while-revalidate=5');
  assert.equal([(await all('/api/plain'))?.[429], (await all('/api/plain'))?.[503]], [undefined, undefined]);

  const config = configFile(
    '{ http: { timeout: 9 }, rateLimit: { limit: 9, paths: { "/api/free": false } } }',
  );
  const free = module('get', 'export default get(() => 1).meta({ timeout: 0 });');
  const nullable = module(
    'post',
    `const response = {
  '~standard': {
    version: 1 as const,
    vendor: 'own',
    validate: (value: unknown) => (value === undefined ? { issues: [{ message: 'Missing' }] } : { value }),
    jsonSchema: { input: () => ({}), output: () => ({ anyOf: [{ type: 'string' }, { type: 'null' }] }) },
  },
};
export default post({ response }, () => null).meta({ timeout: 0, rateLimit: false });`,
  );
  const few = project({
    'fwk.config.ts': config,
    'api/a.ts': tells('get', 'a'),
    'api/free.ts': free,
    'api/free/null.ts': nullable,
  });
  const { paths, components } = JSON.parse((await fwk(few, 'routes', '--openapi')).stdout) as Part;
  const statuses = (path: string, method = 'get') => Object.keys(paths?.[path]?.[method]?.responses ?? {});
  assert.equal(statuses('/api/a'), ['429', '503', '2XX', '4XX', 'default']);
  assert.equal(statuses('/api/free'), ['2XX', '4XX', 'default']);
  assert.equal(statuses('/api/free/null', 'post'), ['200', '204', '4XX', 'default']);
  assert.ok(components?.responses?.TookTooLong);
});

test('the schema of undeclared errors requires a message', async () => {
  const { components } = await documentOf();
  const { Problem, InvalidInput } = components?.schemas ?? {};
  assert.equal(Problem?.required as object, ['message']);
  const [, own] = (InvalidInput?.allOf ?? []) as object as Part[];
  assert.equal(own?.required as object, ['status', 'title', 'errors']);
  const types = Object.keys(components?.responses?.Problem?.content ?? {});
  assert.equal(types, ['application/problem+json', 'application/json']);
});

test('schemas are shared by name and may be recursive', async () => {
  const { components } = await documentOf();
  const book = (await at('/api/v1/zod/books', 'get')).responses?.[200]?.content?.['application/json'];
  assert.equal(book as object, { schema: { $ref: '#/components/schemas/Book' } });
  assert.equal(components?.schemas?.Book?.properties?.at as object, { type: 'string', format: 'date-time' });
  for (const library of ['Zod', 'Valibot']) {
    const name = `GetApiV1${library}TreeResponse`;
    const { parts } = components?.schemas?.[name]?.properties ?? {};
    assert.equal(parts as object, { type: 'array', items: { $ref: `#/components/schemas/${name}` } });
  }
});

test('security comes from the definition, or from the middleware around the route', async () => {
  const of = async (path: string): Promise<unknown> => (await at(`/api/${path}`, 'get')).security;
  assert.equal(await of('secret/a'), [{ session: [] }]);
  assert.equal(await of('secret/b'), [{ token: [] }, { session: [] }]);
  assert.equal(await of('secret/open'), []);
  assert.is(await of('plain'), undefined);
});

unsampled(test)('a validator and the rules of Redocly find no problem', async () => {
  const { stdout } = await printed;
  assert.equal(await new Judged(stdout).verdict(), {
    valid: true,
    // A fixture of the page: a description that would be a script, were it HTML.
    problems: ['no-unsafe-markdown #/paths/~1api~1upload/post/description'],
  });
  const shop = copyOf('bookshop', ['libsql', 'zod']);
  const { status, stdout: document, stderr } = await fwk(shop, 'routes', '--openapi');
  assert.equal({ status, stderr }, { status: 0, stderr: '' });
  assert.equal(await new Judged(document).verdict(), { valid: true, problems: [] });
});

test.run();
