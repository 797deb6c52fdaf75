import * as assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Random } from '../fuzz/random.js';
import { encoded } from '../harness/multipart.js';
import type { Answer, Client } from './client.js';
import { numbers } from './site.js';
import { textOf } from './text.js';

/** One request whose answer is known. Throws an AssertionError where another one comes. */
export type Call = (client: Client, random: Random) => Promise<void>;

const json = ({ status, body }: Answer, expected = 200): unknown => {
  assert.equal(status, expected, `${status} ${body.toString().slice(0, 300)}`);
  return JSON.parse(body.toString());
};
const same = (actual: unknown, expected: string): void =>
  assert.ok(actual === expected, `another text: ${String(actual).slice(0, 80)}`);
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const typed = (type: string, body: string | Buffer) => ({
  method: 'POST',
  headers: { 'content-type': type },
  body,
});

async function item(client: Client, random: Random): Promise<void> {
  const [id, q] = [random.word(), random.word()];
  assert.deepEqual(json(await client.ask(`/api/items/${id}?q=${q}`, random.chance(50))), { id, q });
}

async function jsonBody(client: Client, random: Random): Promise<void> {
  const body = { text: random.word(1, 2_000), list: [random.between(0, 9), { deep: random.word() }] };
  const sent = typed('application/json', JSON.stringify(body));
  assert.deepEqual(json(await client.ask('/api/echo', random.chance(50), sent)), { body });
}

async function formBody(client: Client, random: Random): Promise<void> {
  const body = { a: random.word(), b: `${random.word()} & ${random.word()}` };
  const sent = typed('application/x-www-form-urlencoded', new URLSearchParams(body).toString());
  assert.deepEqual(json(await client.ask('/api/echo', random.chance(50), sent)), { body });
}

async function upload(client: Client, random: Random): Promise<void> {
  const form = new FormData();
  const [note, filename] = [random.word(), `${random.word()}.bin`];
  const content = Buffer.alloc(random.between(1, 300_000), random.word());
  form.append('note', note);
  form.append('file', new File([content], filename));
  const { type, body } = await encoded(form);
  const told = json(await client.ask('/api/upload', random.chance(30), typed(type, body)));
  assert.deepEqual(told, [
    { field: 'note', value: note },
    { file: filename, hash: sha256(content) },
  ]);
}

async function file(client: Client, random: Random): Promise<void> {
  const whole = await client.ask('/numbers.txt', random.chance(50));
  assert.equal(whole.status, 200);
  assert.ok(whole.body.equals(numbers), 'the file is another one');
  const from = random.between(0, numbers.length - 2);
  const range = { headers: { range: `bytes=${from}-${from + 999}` } };
  const part = await client.ask('/numbers.txt', random.chance(50), range);
  assert.equal(part.status, 206);
  assert.ok(part.body.equals(numbers.subarray(from, from + 1_000)), 'the range is another one');
  const known = { headers: { 'if-none-match': String(whole.headers.etag) } };
  assert.equal((await client.ask('/numbers.txt', random.chance(50), known)).status, 304);
}

async function cached(client: Client, random: Random): Promise<void> {
  const id = `cached${random.between(0, 20)}`;
  same(json(await client.ask(`/api/cached/${id}`, random.chance(50))), textOf(id, 20));
}

async function compressed(client: Client, random: Random): Promise<void> {
  const id = random.word();
  const [coding, decode] = random.pick([
    ['gzip', gunzipSync] as const,
    ['br', brotliDecompressSync] as const,
  ]);
  const sent = { headers: { 'accept-encoding': coding } };
  const answer = await client.ask(`/api/large/${id}`, random.chance(50), sent);
  assert.equal(answer.headers['content-encoding'], coding);
  same(json({ ...answer, body: decode(answer.body) }), textOf(id, 2_000));
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

async function tool(client: Client, random: Random): Promise<void> {
  const text = random.word(1, 300);
  const id = random.between(1, 1e9);
  const answer = await client.ask('/mcp', random.chance(50), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text }, _meta: META },
    }),
  });
  const told = json(answer) as { id: number; result: { content: { text: string }[] } };
  assert.equal(told.id, id);
  assert.equal(told.result.content[0]?.text, text);
}

/** A limit of 5, over all processes. */
async function limited(client: Client, random: Random): Promise<void> {
  const key = random.word(20, 20);
  const statuses: number[] = [];
  for (let count = 0; count < 7; count += 1) {
    const answer = await client.ask('/api/limited', random.chance(50), { headers: { 'x-key': key } });
    if (answer.status === 200) assert.deepEqual(json(answer), { key });
    statuses.push(answer.status);
  }
  assert.equal(statuses.join(), '200,200,200,200,200,429,429');
}

async function refused(client: Client, random: Random): Promise<void> {
  const missing = await client.ask(`/api/none/${random.word()}`, random.chance(50));
  assert.equal(missing.status, 404);
  const broken = typed('application/json', `{"${random.word()}`);
  assert.equal((await client.ask('/api/echo', random.chance(50), broken)).status, 400);
  const tooLarge = typed('text/plain', Buffer.alloc(1_100_000));
  assert.equal((await client.ask('/api/echo', false, tooLarge)).status, 413);
}

export const CALLS: Readonly<Record<string, Call>> = {
  item,
  jsonBody,
  formBody,
  upload,
  file,
  cached,
  compressed,
  tool,
  limited,
  refused,
};
