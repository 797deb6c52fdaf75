import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SPELLINGS } from '../../packages/prove/probe/spellings.js';
import { fwk } from '../harness/fwk.js';
import { type Files, type Project, project } from '../harness/project.js';
import { module, route } from '../harness/source.js';
import { endpoint, layer } from './guard-sources.js';
import { config, found, policy, prove } from './proving.js';

// The requests of `fwk prove`, the code that it does not run, and its reading of responses.

const RAN = endpoint('get');
const REFUSES = layer("  throw error(401, 'no');");

const GUARDED = policy("under('api/**').refuses(anonymous)");
const app = (files: Files): Project => project({ 'fwk.config.ts': config(), 'policy.ts': GUARDED, ...files });

const foundIn = (files: Files): Promise<string[]> => found({ 'policy.ts': GUARDED, ...files });

const test = suite('probe');

test('there are more than fifty spellings with different names', () => {
  assert.ok(SPELLINGS.length >= 50, String(SPELLINGS.length));
  assert.is(new Set(SPELLINGS.map(({ name }) => name)).size, SPELLINGS.length);
});

const JWT = `import { createHmac } from 'node:crypto';
const mac = (text) => createHmac('sha256', MAC).digest('base64url');
export const sign = (claims) => {
  const text = [{ alg: 'HS256' }, claims].map((one) => Buffer.from(JSON.stringify(one)).toString('base64url')).join('.');
  return text + '.' + mac(text);
};
export const verify = (token = '') => {
  const [head, claims, signature] = token.replace('Bearer ', '').split('.');
  return signature === mac(head + '.' + claims) ? JSON.parse(Buffer.from(claims, 'base64url').toString()) : undefined;
};
`;
const SIGNED = policy(
  "under('api/**').refuses(anonymous).admits(ada)",
  "import { sign } from './jwt.js';\nconst ada = visitor('ada', { headers: { authorization: 'Bearer ' + sign({ sub: 'ada' }) } });",
);
const OF_TOKENS = "verify(req.header('authorization'))";
/** `mac`: the secret, and what is signed. */
const withJwt = (mac: string): Files => ({ 'policy.ts': SIGNED, 'jwt.ts': JWT.replace('MAC', mac) });

for (const [title, passes, by, files] of [
  ['a part of a list', "'alpha,beta'.split(',').includes(req.header('x-team'))", 'x-team: alpha', {}],
  ['the value of a parameter', "req.header('x-org') === req.params.org", 'x-org: x1', {}],
  ['NODE_ENV=test', "process.env.NODE_ENV === 'test'", 'NODE_ENV=test', {}],
  [
    'a variable that another module reads',
    "isOn('maintenance')",
    'FLAGS=maintenance',
    {
      'flags.ts':
        "const on = (process.env.FLAGS ?? 'a,b').split(',');\nexport const isOn = (name) => on.includes(name);\n",
    },
  ],
  ['an empty secret', OF_TOKENS, 'the secret ""', withJwt("process.env.JWT_SECRET ?? '').update(text")],
  [
    'a signature of the beginning',
    OF_TOKENS,
    'with a space',
    withJwt("'k9-f0e1d2c3').update(text.split('.')[1].slice(0, 12)"),
  ],
] as const)
  test(`a guard that lets ${title} in is found`, async () => {
    const imports = "import { isOn } from '../flags.js';\nimport { verify } from '../jwt.js';\n";
    const guard = layer(`  if (!(${passes})) throw error(403, 'no');\n  return next();`);
    const found = await foundIn({
      'flags.ts': 'export const isOn = () => false;\n',
      'jwt.ts': 'export const verify = () => undefined;\n',
      'api/_middleware.ts': `${imports}${guard}`,
      'api/[org]/x.get.ts': RAN,
      ...files,
    });
    assert.is(found.length, 1);
    assert.match(found[0] ?? '', by);
  });

test('fwk prove sends requests, runs no handler, starts only the services of guards, and hides the output of the project', async () => {
  const unmade = module('service', "export default service(() => { throw new Error('made'); });");
  const made = project({
    'fwk.config.ts': config(),
    'policy.ts': policy(
      "under('api/**').refuses(anonymous).admits(admin)",
      "const admin = visitor('an admin', { headers: { authorization: 'good' } });",
    ),
    'api/_middleware.ts': layer(
      "  console.log('asked');\n  ctx.logger.warn('asked');\n  if (!ctx.users.knows(req.header('authorization'))) throw error(401, 'no');\n  return next();",
    ),
    'api/x.get.ts': RAN,
    'api/y.post.ts': route('post', '(req, res, ctx) => ctx.database.write()'),
    'services/users.ts': module(
      'service',
      "export default service(() => ({ knows: (token) => token === 'good' }));",
    ),
    'services/database.ts': unmade,
    'services/mailer.ts': module(
      'service',
      'export default service((ctx) => ({ send: () => ctx.database.mail() }));',
    ),
  });
  const { status, stdout, stderr } = await fwk(made, 'prove');
  assert.is(stderr, '');
  assert.is(status, 0, stdout);
  assert.not.match(stdout, /asked|made/);
  assert.match(stdout, /The policy holds: 2 routes, \d{3} requests, /);
});

test('a finding shows the request that let a visitor in', async () => {
  const made = app({
    'api/_middleware.ts': layer(
      "  if (!req.path.startsWith('/api/x')) return next();\n  throw error(401, 'no');",
    ),
    'api/x.get.ts': RAN,
  });
  const { status, stdout } = await fwk(made, 'prove', '--json');
  assert.is(status, 1);
  const { findings, requests } = JSON.parse(stdout);
  assert.ok(requests > 5);
  assert.is(findings.length, 1);
  const [{ kind, file, problem, spelling }] = findings;
  assert.equal([kind, file], ['open', 'src/api/x.get.ts']);
  assert.match(problem, /^lets anonymous in, by /);
  assert.match(spelling, /: GET \S+$/);
});

test('a guard that hangs or closes the connection is a finding within three seconds, and the other checks continue', async () => {
  const hanging = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`api/hangs/r${index}.get.ts`, RAN]),
  );
  const began = performance.now();
  const lines = await foundIn({
    'api/hangs/_middleware.ts': layer('  await new Promise(() => {});'),
    ...hanging,
    'api/cut/_middleware.ts': layer('  req.raw.socket.destroy();\n  await new Promise(() => {});'),
    'api/cut/x.get.ts': RAN,
    'api/fine/_middleware.ts': REFUSES,
    'api/fine/x.get.ts': RAN,
  });
  assert.is(lines.length, 21);
  assert.is(lines.filter((line) => line.endsWith('gives anonymous no answer within 3 s')).length, 20);
  assert.ok(lines.includes('failed GET /api/cut/x: closes the connection of anonymous without an answer'));
  const seconds = (performance.now() - began) / 1000;
  assert.ok(seconds < 12, `${seconds} s`);
});

test('failures, responses of other layers and limits are not refusals, and an unhandled rejection does not end the command', async () => {
  const lines = await foundIn({
    'api/fails/_middleware.ts': layer('  return ctx.nobody.name;'),
    'api/fails/x.get.ts': RAN,
    'api/answers/_middleware.ts': layer('  return { cached: true };'),
    'api/answers/x.get.ts': RAN,
    'api/strays/_middleware.ts': layer(
      "  void Promise.reject(new Error('nobody waits'));\n  setImmediate(() => { throw new Error('nobody catches'); });\n  throw error(401, 'no');",
    ),
    'api/strays/x.get.ts': RAN,
    'api/limited/_middleware.ts': layer("  throw error(429, 'later');"),
    'api/limited/x.get.ts': RAN,
  });
  assert.equal(lines.sort(), [
    'answered GET /api/answers/x: answers anonymous with 200 before its handler',
    "failed GET /api/fails/x: fails with 500 for anonymous (Cannot read properties of undefined (reading 'name')), which is not a refusal",
    "failed GET /api/limited/x: answers anonymous with 429, which doesn't show that a guard refuses",
  ]);
});

test('two routes of a class get all spellings, and each route gets all paths if a guard reads the URL', async () => {
  const routes = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`api/r${index}.get.ts`, RAN]));
  const sent = async (guard: string): Promise<number> =>
    (await prove(app({ 'api/_middleware.ts': layer(guard), ...routes }))).requests;
  const few = await sent("  throw error(401, 'no');");
  assert.ok(few > 2 * 50 && few < 3 * 100, `${few}`);
  const paths = await sent('  throw error(401, req.path);');
  assert.ok(few < paths && paths < 3 * few, `${few}, ${paths}`);
});

test('a server with a connection limit gets one request at a time', async () => {
  const lines = await foundIn({
    'fwk.config.ts': config('http: { maxConnections: 2 }'),
    'api/_middleware.ts': REFUSES,
    ...Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`api/r${index}.get.ts`, RAN])),
  });
  assert.equal(lines, []);
});

test('a rate limit by address hides no finding', async () => {
  const made = app({
    'fwk.config.ts': config('rateLimit: { limit: 3 }'),
    'api/_middleware.ts': layer("  if (req.header('x-internal')) return next();\n  throw error(401, 'no');"),
    'api/x.get.ts': RAN,
    'api/y/_middleware.ts': REFUSES,
    'api/y/z.get.ts': RAN,
  });
  const { findings } = await prove(made);
  assert.is(findings.length, 1);
  assert.match(findings[0]?.problem ?? '', /^lets anonymous in, by x-internal: /i);
});

test.run();
