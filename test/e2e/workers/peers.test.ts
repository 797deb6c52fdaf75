import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { type Lock, LockTaken, type SharedMemory } from '../../../peers/index.js';
import { service, wsModule } from '../../harness/source.js';
import { made, team } from '../../harness/workers.js';
import { contract, type Participant, refusesWhatIsNone } from '../../peers/contract.js';

const app = made({
  'services/common.ts': service(`(ctx, { peers }) => {
       const held = new Map();
       return {
         memory: async (name, method, args) => peers.memory(name)[method](...args),
         hold: (name, wait) => new Promise((resolve, reject) => {
           const work = ({ token }) => new Promise((release) => {
             held.set(token, release);
             resolve(token);
           });
           peers.lock(name, work, { wait }).catch(reject);
         }),
         // The answer comes while this process is busy.
         busy: async () => {
           const asked = peers.memory('busy').add('all', 1, 60);
           Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200);
           return asked;
         },
         // A value that cannot be sent to the primary.
         uncloned: async () => {
           try { await peers.memory('busy').put('all', { x: () => 1 }, 60); } catch {}
           await new Promise((done) => setTimeout(done, 1_100));
           return peers.memory('busy').add('later', 1, 60);
         },
         listen: async () => { for (let time = 0; time < 3; time += 1) peers.on('broken', async () => { throw new Error('as ever'); }); },
         break: async () => peers.send('broken', {}),
         release: async (token) => held.get(token)(),
       };
     }`),
  'ws/common.ts': wsModule(`({ ctx, onJson, send }) => {
       send({ pid: process.pid });
       // Messages of one socket are handled in order, and a lock may be waited for.
       onJson(({ id, method, args }) => void ctx.common[method](...JSON.parse(args)).then(
         (gives) => send({ id, gives }),
         (thrown) => send({ id, throws: thrown.name, code: thrown.code }),
       ));
     }`),
  'services/early.ts': service(`(ctx, { peers, onStart }) => {
       let early;
       try { peers.span; } catch (thrown) { early = thrown.message; }
       peers.on('early', (head, body) => console.log('[heard ' + head.from + ' ' + body + ']'));
       onStart(() => {
         console.log('[' + early + ']');
         peers.send('early', { from: peers.span }, 'hello');
       });
       return {};
     }`),
});

const test = suite<{
  participants: [Link, Link];
  waitFor: (line: RegExp) => Promise<unknown>;
  end(): Promise<void>;
}>('peers of workers');
test.before(async (context) => {
  const workers = await team(app);
  await workers.output.waitFor(/\[peers are unavailable before the app serves: .*\]/);
  await workers.output.waitFor(/\[heard machine hello\]/);
  const links = new Map<number, Link>();
  while (links.size < 2) {
    const link = await Link.open(workers.url);
    if (links.has(link.pid)) link.close();
    else links.set(link.pid, link);
  }
  const [a, b] = [...links.values()];
  if (!a || !b) throw new Error('two workers');
  context.participants = [a, b];
  context.waitFor = (line) => workers.output.waitFor(line);
  context.end = async () => {
    for (const link of links.values()) link.close();
    assert.is((await workers.stop()).status, 0);
  };
});
test.after(({ end }) => end());

interface Reply {
  readonly id: number;
  readonly gives?: unknown;
  readonly throws?: string;
  readonly code?: string;
}

/** A worker that the test controls. */
class Link implements Participant {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #asked = 0;

  private constructor(
    socket: WebSocket,
    readonly pid: number,
  ) {
    this.#socket = socket;
    socket.on('message', (data) => {
      const reply: Reply = JSON.parse(String(data));
      this.#waiting.get(reply.id)?.(reply);
      this.#waiting.delete(reply.id);
    });
  }

  static async open(url: string): Promise<Link> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/common`);
    const [data] = await once(socket, 'message');
    return new Link(socket, JSON.parse(String(data)).pid);
  }

  memory(name: string): SharedMemory {
    const method =
      (act: string) =>
      (...args: unknown[]): Promise<never> =>
        this.ask('memory', name, act, args) as Promise<never>;
    return { get: method('get'), put: method('put'), take: method('take'), add: method('add') };
  }

  readonly lock: Lock = async (name, work, { wait = 10_000 } = {}) => {
    const token = Number(await this.ask('hold', name, wait));
    try {
      return await work({ token, signal: new AbortController().signal });
    } finally {
      await this.ask('release', token);
    }
  };

  close(): void {
    this.#socket.close();
  }

  async ask(method: string, ...args: unknown[]): Promise<unknown> {
    this.#asked += 1;
    const id = this.#asked;
    const answered = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    // As text: of messages themselves fwk takes no key that could poison a prototype, and fields may be called so.
    this.#socket.send(JSON.stringify({ id, method, args: JSON.stringify(args) }));
    const { gives, throws, code } = await answered;
    if (throws === 'LockTaken') throw new LockTaken(throws);
    if (throws !== undefined) throw Object.assign(new Error(throws), { code });
    return gives;
  }
}

for (const [name, check] of Object.entries(contract)) test(name, ({ participants }) => check(participants));

test('rejects an invalid text or number, and the primary process keeps running', ({ participants }) =>
  refusesWhatIsNone(participants));

test('a worker that is blocked for longer than the timeout still receives the response', async ({
  participants: [a],
}) => assert.is(await a.ask('busy'), 1));

test('a value that cannot be sent to the primary fails only its caller', async ({ participants: [a] }) =>
  assert.is(await a.ask('uncloned'), 1));

test('a receiver that rejects is logged with its file, and no worker ends', async ({
  participants: [a, b],
  waitFor,
}) => {
  await a.ask('listen');
  await b.ask('break');
  await waitFor(/peers\.on\(\\"broken\\"\) of \S*common\.[jt]s failed/);
  assert.is(await a.memory('after').add('all', 1, 60), 1);
});

test.run();
