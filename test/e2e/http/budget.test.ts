import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Session } from 'node:inspector';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { getHeapSpaceStatistics } from 'node:v8';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atExit } from '../../harness/cleanup.js';
import { type Connection, connect } from '../../harness/http.js';
import { Output } from '../../harness/output.js';
import { main } from '../../harness/production.js';
import { type Project, project } from '../../harness/project.js';

// What fwk may add to one request. Time differs from run to run and from machine to machine; the calls of its own
// functions do not, and the bytes that they allocate only with the version of Node: Node 24 needs the most, and has the
// limits below. Whoever adds to the hot path finds out here, and decides.

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
    // The same by hand, past Node's streams too, so that what Node itself allocates can be taken away.
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
  /** Calls of functions, those of packages that fwk uses among them. */
  readonly calls: number;
  /** Bytes allocated beyond those of a server by hand; below zero where that one needs more. */
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
  'three middlewares': { ...get('/api/deep/er/still/hello'), answer: /}$/, calls: 53, bytes: -760 },
  'a 404': { ...get('/api/nowhere'), answer: /^HTTP\/1.1 404 [\s\S]*}$/, calls: 50, bytes: -370 },
};

const test = suite<{ framework?: Measured; hand?: Measured }>('budget');

test.before(async (context) => {
  context.framework = await measured(made, 'main.ts');
  context.hand = await measured(made, 'by-hand.mjs');
});

test.after(async ({ framework, hand }) => {
  await framework?.stop();
  await hand?.stop();
});

for (const [name, budget] of Object.entries(budgets)) {
  test(name, async ({ framework, hand }) => {
    if (!framework || !hand) throw new Error('The servers did not start.');
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

const callCounter = fileURLToPath(new URL('../../harness/call-counter.js', import.meta.url));
// Optimised code inlines calls and leaves out allocations, when and where V8 sees fit: interpreted, both are exact.
const exact = ['--no-opt', '--no-maglev', '--no-sparkplug'];
// A young version that is not collected while something is measured: what the heap grew by is what was allocated.
const uncollected = ['--expose-gc', '--max-semi-space-size=128', '--min-semi-space-size=128'];

const warming = 50;
const counted = 20;
const windows = 5;
const perWindow = 100;

/** An HTTP request as it goes over the wire, and what its whole response matches. */
interface Exchange {
  readonly text: string;
  readonly answer: RegExp;
}

/** What one request costs a server, whatever the machine and what else it does. */
interface Spent {
  /** Calls of functions outside Node and the project itself, by name. */
  readonly calls: ReadonlyMap<string, number>;
  /** Bytes allocated in the young version, Node's own among them. */
  readonly bytes: number;
}

/** A server in a process of its own, which counts what requests cost. */
interface Measured {
  spent(exchange: Exchange): Promise<Spent>;
  stop(): Promise<void>;
}

/** Starts a file of a project that prints `serves <url>`. */
async function measured(project: Project, file: string): Promise<Measured> {
  const child = fork(project.path(file), [], {
    cwd: project.root,
    execArgv: [...exact, ...uncollected, '--import', callCounter],
    env: { ...process.env, NODE_ENV: 'production' },
    silent: true,
  });
  atExit(() => child.kill('SIGKILL'));
  const output = new Output(child);
  const [, url = ''] = await output.waitFor(/^serves (\S+)$/m);

  async function ask(question: string): Promise<unknown> {
    const answered = once(child, 'message');
    child.send(question);
    return (await answered)[0];
  }

  return {
    async spent(exchange) {
      const connection = await connect(url);
      await send(connection, exchange, warming);
      const bytes: number[] = [];
      for (let window = 0; window < windows; window += 1) {
        await ask('collect');
        await send(connection, exchange, perWindow);
        bytes.push(Number(await ask('bytes')) / perWindow);
      }
      await ask('count');
      await send(connection, exchange, counted);
      const calls = perRequest((await ask('calls')) as Record<string, number>, project);
      connection.close();
      // What else the process does adds to a window, now and then; nothing takes away from it.
      return { calls, bytes: Math.min(...bytes) };
    },
    async stop() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

async function send(connection: Connection, { text, answer }: Exchange, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    connection.send(text);
    const got = await connection.read(answer);
    if (!answer.test(got)) throw new Error(`The server closed the connection after ${got}`);
  }
}

function perRequest(calls: Readonly<Record<string, number>>, { root }: Project): Map<string, number> {
  const own = Object.entries(calls).filter(([place]) => !place.startsWith(root));
  return new Map(own.map(([place, count]) => [path.basename(place), count / counted]));
}

// Loaded into a server by `--import`, before its own code: counts what it does while its parent sends requests.

const session = new Session();
session.connect();
session.post('Profiler.enable');

let young = 0;

/** What the parent may ask. Each is answered with one message. */
const answers: Readonly<Record<string, () => unknown>> = {
  count() {
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    taken();
  },
  calls() {
    const calls = taken();
    session.post('Profiler.stopPreciseCoverage');
    return calls;
  },
  collect() {
    globalThis.gc?.();
    young = allocated();
  },
  bytes: () => allocated() - young,
};

process.on('message', (question: string) => process.send?.(answers[question]?.() ?? null));
process.on('disconnect', () => process.exit());

/** Bytes in the young version alone: a collection goes on in the old one, beside the program, long after it was asked for. */
function allocated(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_used_size ?? 0;
}

/** How often each function was called since the last time, by file, offset and name. Node's own do not count. */
function taken(): Record<string, number> {
  const calls: Record<string, number> = {};
  session.post('Profiler.takePreciseCoverage', (failure, coverage) => {
    if (failure) throw failure;
    for (const { url, functions } of coverage.result) {
      if (!url.startsWith('file:') || url === import.meta.url) continue;
      for (const { functionName, ranges } of functions)
        for (const { startOffset, count } of ranges)
          if (count > 0) calls[`${fileURLToPath(url)}:${startOffset} ${functionName}`] = count;
    }
  });
  return calls;
}
