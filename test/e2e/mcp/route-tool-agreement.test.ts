import { createServer } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listening } from '../../harness/http.js';
import { installed } from '../../harness/installed.js';
import { linkLibraries } from '../../harness/libraries.js';
import { connected } from '../../harness/mcp-clients.js';
import { project } from '../../harness/project.js';
import { createApp } from '../../harness/settings.js';

const made = project(
  {
    'api/things/[id].put.ts': `import { error, put } from 'fwkit';
import { z } from 'zod';
const Tree = z.object({ name: z.string().min(1).max(5), get parts() { return z.array(Tree).optional(); } });
export default put({
  params: z.object({ id: z.number().int().min(0) }),
  query: z.object({ n: z.number().int().min(0).max(1000).default(1), tags: z.array(z.string()).optional(), flag: z.boolean().optional() }),
  body: z.strictObject({ title: z.string().min(2), size: z.number().max(9).nullable().optional(), tree: Tree.optional() }),
  response: z.object({ id: z.number(), n: z.number(), tags: z.array(z.string()), flag: z.boolean().optional(), body: z.object({ title: z.string(), size: z.number().nullable().optional(), tree: Tree.optional() }), at: z.date() }),
  errors: { 409: z.object({ title: z.string() }) },
  tool: true,
}, ({ params, query, body }) => {
  if (body.title === 'taken') return error(409, { title: body.title });
  return { id: params.id, n: query.n, tags: query.tags ?? [], flag: query.flag, body, at: new Date(0), secret: 1 };
});
`,
  },
  'js',
);
linkLibraries(made);

const IN_PATH = ['id'];
const IN_QUERY = ['n', 'tags', 'flag'];

const text = fc.string({ maxLength: 6 });
/** Finite: a URL can contain "Infinity", but JSON cannot. */
const double = fc.double({ noNaN: true, noDefaultInfinity: true });
const scalar = fc.oneof(fc.integer({ min: -2, max: 1200 }), double, fc.boolean(), text);
/** Usually a valid value, sometimes any value that a request may contain. */
const mostly = (right: fc.Arbitrary<unknown>, any: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: any });

const tree = fc.letrec((tie) => ({
  node: fc.record(
    {
      name: mostly(fc.string({ minLength: 1, maxLength: 5 }), text),
      parts: fc.array(tie('node'), { maxLength: 2, depthIdentifier: 'tree' }),
    },
    { requiredKeys: ['name'] },
  ),
})).node;

/** Texts that JavaScript parses as numbers outside JSON. Any client can send them. */
const ENDLESS = ['Infinity', '-Infinity', 'NaN', '1e999'];

/** Arguments of the tool. */
const given = fc.record(
  {
    id: mostly(
      fc.nat(),
      scalar.filter((value) => !/^\.{0,2}$/.test(String(value))),
    ),
    n: mostly(fc.nat({ max: 1000 }), scalar),
    tags: mostly(fc.array(text, { minLength: 1, maxLength: 3 }), fc.array(scalar, { minLength: 1 })),
    flag: mostly(fc.boolean(), scalar),
    title: mostly(fc.constantFrom('a title', 'taken', 'x\u0000ü'), fc.jsonValue()),
    size: mostly(fc.integer({ max: 9 }), fc.jsonValue()),
    tree: mostly(tree, fc.jsonValue()),
    more: mostly(fc.constant(undefined), fc.jsonValue()),
  },
  { requiredKeys: ['id', 'title'] },
);

type Given = Readonly<Record<string, unknown>>;
/** The typed client, without its types. */
type Api = (path: string) => {
  put(call: object): Promise<{ ok: boolean; data: unknown; error: Refusal }>;
};

const picked = (from: Given, keep: (name: string) => boolean): Record<string, unknown> =>
  Object.fromEntries(Object.entries(from).filter(([name]) => keep(name)));
const isInBody = (name: string): boolean => ![...IN_PATH, ...IN_QUERY].includes(name);

/** The request that has these values. */
function asRequest(base: string, from: Given): Request {
  const url = new URL(`/api/things/${encodeURIComponent(String(from.id))}`, base);
  for (const name of IN_QUERY)
    for (const value of [from[name] ?? []].flat()) url.searchParams.append(name, String(value));
  return new Request(url, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(picked(from, isInBody)),
  });
}

interface Refusal {
  readonly message?: string;
  readonly errors?: readonly { readonly path: readonly unknown[]; readonly message: string }[];
}

/** The details of a refusal: the issues of a problem, or the body of a declared error. */
const reason = (error: Refusal): string =>
  error.errors === undefined
    ? JSON.stringify(error)
    : `${error.message}. ${error.errors.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ` : '') + message).join('; ')}`;

async function verdict(response: Response): Promise<unknown> {
  const body = (await response.json()) as Refusal;
  return response.ok ? { value: body } : { refused: reason(body) };
}

const test = suite('shared responses');

test('values and verdicts agree, and results match their schema', async () => {
  const app = await createApp(made, '.');
  const server = createServer(app.listener);
  const url = await listening(server);
  const client = await connected('v2 client, 2026-07-28', { url });
  const file = path.join(installed(), 'node_modules/fwkit/dist/bundle/client.js');
  const { createClient } = (await import(
    pathToFileURL(file).href
  )) as typeof import('../../../client/index.js');
  const api: Api = Reflect.apply(createClient as () => never, undefined, [url]);

  const [tool] = (await client.listTools()).tools;
  const validate = (schema: unknown) => new AjvJsonSchemaValidator().getValidator(schema as object);
  const [takes, answers] = [validate(tool?.inputSchema), validate(tool?.outputSchema)];
  let [accepted, refused] = [0, 0];

  const asserting = fc.assert(
    fc.asyncProperty(given, async (from) => {
      const expected = await verdict(await fetch(asRequest(url, from)));
      assert.equal(await verdict(await app.fetch(asRequest('http://localhost', from))), expected);

      const typed = await api('/api/things/:id').put({
        params: picked(from, (name) => IN_PATH.includes(name)),
        query: picked(from, (name) => IN_QUERY.includes(name)),
        body: picked(from, isInBody),
      });
      assert.equal(typed.ok ? { value: typed.data } : { refused: reason(typed.error) }, expected);

      const { content, structuredContent, isError } = await client.callTool({
        name: 'putThingsId',
        arguments: from,
      });
      assert.equal(isError ? { refused: content[0]?.text } : { value: structuredContent }, expected);
      if (isError) {
        refused += 1;
        // Only the handler refuses arguments that fit the tool's schema.
        if (from.title !== 'taken') assert.is(takes(from).valid, false, JSON.stringify(from));
      } else {
        accepted += 1;
        assert.ok(answers(structuredContent).valid, JSON.stringify(structuredContent));
      }
    }),
    {
      numRuns: 80,
      examples: ENDLESS.map((id): [Given & { id: unknown; title: unknown }] => [{ id, title: 'a title' }]),
    },
  );
  await asserting.finally(async () => {
    await client.close();
    server.close();
    server.closeAllConnections();
    await app.close();
  });
  assert.ok(accepted > 10 && refused > 10, `${accepted} accepted, ${refused} refused`);
});

test.run();
