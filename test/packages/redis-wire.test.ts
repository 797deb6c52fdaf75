import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject } from '../../kernel/index.js';
import { decode, encode } from '../../packages/redis/wire.js';
import type { Json } from '../../peers/index.js';

const test = suite('wire of @fwkit/redis');

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const text = fc.string({ unit: 'grapheme', maxLength: 200 });
const bytes = fc.uint8Array({ maxLength: 200 });
const name = fc.string({ unit: 'grapheme', maxLength: 40 });
const sender = fc.option(fc.record({ m: name, p: name, n: fc.maxSafeNat() }, { noNullPrototype: true }), {
  nil: undefined,
});

test('a message of any topic, head, text or bytes is decoded as it was encoded', () => {
  fc.assert(
    fc.property(text, json, fc.oneof(text, bytes), sender, (topic, head, body, from) => {
      const message = decode(Buffer.from(encode(topic, head, body, from)));
      if (typeof message === 'string') throw new Error(message);
      assert.equal([message.topic, message.head, message.sender], [topic, head, from]);
      const got = message.body();
      if (typeof body === 'string') assert.is(got, body);
      else assert.ok(got instanceof Uint8Array && Buffer.compare(got, body) === 0);
    }),
    { numRuns: 500 },
  );
});

test('bytes of other programs are foreign', () => {
  const foreign = bytes.filter((all) => Buffer.from(all).toString('latin1', 0, 5) !== 'fwk1 ');
  fc.assert(fc.property(foreign, (all) => assert.is(decode(Buffer.from(all)), 'foreign')));
  for (const one of ['', 'fwk1', 'fwk2 {"t":"x"}\n', 'FWK1 {"t":"x"}\n'])
    assert.is(decode(Buffer.from(one)), 'foreign');
});

test('an invalid message with the right marker is broken, and nothing throws', () => {
  const isMessage = (line: string): boolean => {
    try {
      const { t, m, p, n, ...rest }: Record<string, unknown> = asObject(
        JSON.parse(line.split('\n', 1)[0] ?? ''),
      );
      const isFromOutside = [m, p, n].every((one) => one === undefined);
      const isFromSender =
        [m, p].every((one) => typeof one === 'string') && Number.isSafeInteger(n) && Number(n) >= 0;
      return typeof t === 'string' && (isFromOutside || isFromSender) && rest !== undefined;
    } catch {
      return false;
    }
  };
  const field = fc.oneof(json, fc.constant('x'), fc.nat());
  const almost = fc
    .record({ m: field, p: field, n: field, t: field, h: field, b: field }, { requiredKeys: [] })
    .map((line) => JSON.stringify(line));
  fc.assert(
    fc.property(
      fc.oneof(
        almost,
        text,
        json.map((one) => JSON.stringify(one)),
      ),
      (line) => {
        const message = decode(Buffer.from(`fwk1 ${line}\nbody`));
        assert.is(message === 'broken', !isMessage(line), line);
        assert.is.not(message, 'foreign');
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a message from another language needs only a topic', () => {
  const message = decode(Buffer.from('fwk1 {"t":"ws.published","h":{"room":"tea"}}\nline\nline'));
  if (typeof message === 'string') throw new Error(message);
  assert.equal([message.topic, message.head, message.sender], ['ws.published', { room: 'tea' }, undefined]);
  assert.is(message.body(), 'line\nline');
  const short = decode(Buffer.from('fwk1 {"t":"x"}'));
  if (typeof short === 'string') throw new Error(short);
  assert.equal([short.head, short.body()], [null, '']);
});

const asObject = (value: unknown): Record<string, unknown> => {
  if (!isObject(value)) throw new TypeError('no object');
  return value;
};

test.run();
