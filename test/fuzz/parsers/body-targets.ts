import { eventsOf } from '../../../client/events.js';
import { readHead } from '../../../plugins/http/body/part-headers.js';
import { parseBody } from '../../../plugins/http/body/read-body.js';
import { partsOf, readForm } from '../../../plugins/http/body/read-encoded.js';
import { requestWith } from './head-targets.js';
import { given, givenLater, holds, isTable, type Target } from './target.js';

// Parsers of bodies. The result must not depend on how the body is split into chunks.

const LIMITS = {
  maxBodyMemory: 0,
  bodyLimit: 2_000,
  maxParts: 20,
  maxFiles: 5,
  maxFieldName: 100,
  maxFields: 30,
  maxJsonDepth: 64,
};

async function* cut(body: Buffer, at: readonly number[]): AsyncGenerator<Buffer, void, undefined> {
  let from = 0;
  for (const to of [...at, body.length].sort((a, b) => a - b)) {
    if (to > from && to <= body.length) yield body.subarray(from, to);
    from = Math.max(from, Math.min(to, body.length));
  }
}

async function formOf(body: Buffer, at: readonly number[]): Promise<string | undefined> {
  const form = await givenLater(() => readForm(partsOf(cut(body, at), 'b', LIMITS)));
  if (form === undefined) return undefined;
  isTable(form, 'the form');
  const values = Object.entries(form).flatMap(([key, value]) =>
    [value].flat().map((one) => [key, one] as const),
  );
  const results = await Promise.all(
    values.map(async ([key, value]) =>
      typeof value === 'string' ? [key, value] : [key, value.name, value.type, await value.text()],
    ),
  );
  // A byte that is not UTF-8 is shown as three, and escaped as six.
  holds(
    JSON.stringify(results).length <= 6 * body.length + 50 * results.length + 2,
    'more comes out than went in',
  );
  return JSON.stringify(results);
}

const multipart: Target = {
  name: 'multipart',
  async run(input) {
    const [first = 0, second = 0] = input;
    const body = input.subarray(2);
    // A boundary with half an end before another boundary: @fastify/busboy 3.2 takes it for the end or not, by how it comes.
    if (body.includes('--b-\r\n--b')) return;
    const whole = await formOf(body, []);
    // A boundary followed by one dash is malformed; whether the library detects that depends on the chunks.
    if (/--b-(?!-)/.test(body.toString('latin1'))) return;
    const pieces = await formOf(body, [first % (body.length + 1), second % (body.length + 1)]);
    holds(whole === pieces, `read whole it is ${whole}, in pieces ${pieces}`);
    if (body.length < 64) {
      const bytes = await formOf(body, [...body.keys()]);
      holds(whole === bytes, `read whole it is ${whole}, byte by byte ${bytes}`);
    }
  },
};

const partHead: Target = {
  name: 'part-head',
  run(input) {
    const disposition = input.toString('latin1');
    const head = given(() => readHead({ 'content-disposition': [disposition] }, 100));
    if (head === undefined) return;
    holds(Buffer.byteLength(head.name) <= 100, 'a long name');
    holds(!/[/\\]|^\.\.?$/.test(head.filename ?? ''), `the file name ${JSON.stringify(head.filename)}`);
  },
};

const hasPoison = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPoison));

const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'a/b+json; charset=latin1',
];
const body: Target = {
  name: 'body',
  run(input) {
    const type = TYPES[(input[0] ?? 0) % TYPES.length] ?? '';
    const bytes = input.subarray(1);
    const parsed = given(() => parseBody(bytes, requestWith('/', { 'content-type': type }), LIMITS));
    if (typeof parsed !== 'object' || parsed === null) return;
    if (type.includes('form')) isTable(parsed, 'the form');
    else holds(!hasPoison(parsed), 'a key __proto__ came through');
    if (type === 'application/json' && !/proto|constructor|\\u/.test(bytes.toString()))
      holds(
        JSON.stringify(parsed) === JSON.stringify(JSON.parse(bytes.toString().replace(/^\uFEFF/, ''))),
        'JSON.parse reads another value',
      );
  },
};

async function eventsIn(text: Buffer, at: readonly number[]): Promise<string> {
  const pieces = cut(text, at);
  const stream = new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  const events: unknown[] = [];
  for await (const event of eventsOf(new Response(stream))) events.push(event);
  return JSON.stringify(events);
}

const sse: Target = {
  name: 'events',
  async run(input) {
    const [first = 0] = input;
    const text = input.subarray(1);
    const whole = await eventsIn(text, []);
    const pieces = await eventsIn(text, [first % (text.length + 1)]);
    holds(whole === pieces, `read whole they are ${whole}, in pieces ${pieces}`);
  },
};

export const bodyTargets: readonly Target[] = [multipart, partHead, body, sse];
