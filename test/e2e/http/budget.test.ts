import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { main } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { type Exchange, measured, type Spent } from '../../harness/request-cost.js';

// Limits on what fwk may add to one request. Time varies between runs and machines; the number of calls does not, and
// allocated bytes vary only with the version of Node. Node 24 needs the most, and sets the limits below.

const handler = (method: string, body: string) =>
  `import { ${method} } from 'fwkit';\nexport default ${method}(${body});\n`;
const layer = `import { middleware } from 'fwkit';\nexport default middleware((req, res, ctx, next) => next());\n`;

const made = project(
  {
    'main.ts': main(),
    'api/hello.get.ts': handler('get', `() => ({ hello: 'world' })`),
    'api/users/[id].get.ts': handler('get', `({ params, query }) => ({ id: params.id, q: query.q })`),
    'api/login.post.ts': handler(
      'post',
      `({ body }, res) => void res.cookie('user', body.name, { httpOnly: true })`,
    ),
    'api/deep/_middleware.ts': layer,
    'api/deep/er/_middleware.ts': layer,
    'api/deep/er/still/_middleware.ts': layer,
    'api/deep/er/still/hello.get.ts': handler('get', `() => ({ hello: 'world' })`),
    // The same handlers on node:http, also past Node's streams, so that Node's own allocations can be subtracted.
    'by-hand.mjs': `import { createServer } from 'node:http';
const send = (res, status, text) => {
  res.writeHead(status, ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(text))]);
  res.end(text);
};
const end = (req) => {
  req._dumped = true;
  for (const key of ['ended', 'endEmitted', 'destroyed', 'closed', 'closeEmitted']) req._readableState[key] = true;
};
const server = createServer({ keepAliveTimeout: 5000 }, (req, res) => {
  if (req.method === 'GET') end(req);
  if (req.url === '/api/nowhere') return send(res, 404, '{"message":"There is nothing at this address"}');
  if (req.method === 'GET') return send(res, 200, '{"hello":"world"}');
  const chunks = [];
  req.push = (chunk) => {
    if (chunk) return chunks.push(chunk);
    end(req);
    const { name } = JSON.parse(Buffer.concat(chunks).toString());
    res.writeHead(204, ['Set-Cookie', \`user=\${name}; Path=/; HttpOnly\`]).end();
  };
}).listen(0, 'localhost', () => console.log(\`serves http://localhost:\${server.address().port}/\`));
`,
  },
  'js',
);

const get = (path: string): Pick<Exchange, 'text'> => ({
  text: `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n`,
});
const json = 'Content-Type: application/json\r\n';

interface Budget extends Exchange {
  /** Calls of functions, including packages that fwk uses. */
  readonly calls: number;
  /** Bytes allocated beyond the server by hand; negative if that server allocates more. */
  readonly bytes: number;
}

const budgets: Readonly<Record<string, Budget>> = {
  'a GET of JSON': { ...get('/api/hello'), answer: /}$/, calls: 45, bytes: -1120 },
  'a parameter and a query': { ...get('/api/users/7?q=find'), answer: /}$/, calls: 51, bytes: -540 },
  'a body and a cookie': {
    text: `POST /api/login HTTP/1.1\r\nHost: localhost\r\n${json}Content-Length: 14\r\n\r\n{"name":"ada"}`,
    answer: /^HTTP\/1.1 204 [\s\S]*Set-Cookie: user=ada; Path=\/; HttpOnly\r\n[\s\S]*\r\n\r\n$/,
    // Two compare the attributes of the cookie with the previous cookie's; five add `Cache-Control: private`.
    calls: 79,
    // 530 of them are the asynchronous context of the request, and 500 the header that keeps shared caches from storing a cookie.
    bytes: 1200,
  },
  'three middlewares': { ...get('/api/deep/er/still/hello'), answer: /}$/, calls: 54, bytes: -760 },
  'a 404': { ...get('/api/nowhere'), answer: /^HTTP\/1.1 404 [\s\S]*}$/, calls: 50, bytes: -370 },
};

const test = suite('budget');
const framework = await measured(made, 'main.ts');
const hand = await measured(made, 'by-hand.mjs');

test.after(async () => {
  await framework.stop();
  await hand.stop();
});

for (const [name, budget] of Object.entries(budgets)) {
  test(name, async () => {
    const spent = await framework.spent(budget);
    const bytes = spent.bytes - (await hand.spent(budget)).bytes;
    const calls = [...spent.calls.values()].reduce((sum, count) => sum + count, 0);
    assert.ok(calls <= budget.calls, `${calls} calls, of ${budget.calls}:\n${list(spent)}`);
    assert.ok(bytes <= budget.bytes, `${Math.round(bytes)} bytes, of ${budget.bytes}`);
  });
}

test.run();

function list({ calls }: Spent): string {
  return [...calls].map(([place, count]) => `  ${count} × ${place}`).join('\n');
}
