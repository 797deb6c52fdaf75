import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LOG_DEFAULTS, ownLogger } from '../../../plugins/log/index.js';

type Line = Readonly<Record<string, unknown>>;

/** The lines that a logger writes in `act`. */
function written(act: (logger: ReturnType<typeof ownLogger>) => void): string[] {
  const { write } = process.stdout;
  const lines: string[] = [];
  process.stdout.write = (line) => lines.push(String(line)) > 0;
  try {
    act(ownLogger({ ...LOG_DEFAULTS, format: 'json', level: 'trace' }, 'production'));
  } finally {
    process.stdout.write = write;
  }
  return lines;
}
const line = (...[fields, text = 'x']: [object, string?]): Line => {
  const [one = '', ...more] = written((logger) => logger.info(fields, text));
  assert.equal(more, []);
  assert.ok(Buffer.byteLength(one) <= 16_384, `${Buffer.byteLength(one)} bytes`);
  return JSON.parse(one);
};

const throwing = (name: string): Error =>
  Object.defineProperty(new Error('of an error'), name, {
    get() {
      throw new Error('a getter');
    },
  });

const test = suite('log lines');

test('a value that throws when it is read is logged as such', () => {
  assert.equal(line({ err: throwing('stack') }).err, {
    type: 'Error',
    message: 'of an error',
    stack: '[throws: a getter]',
  });
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const withGetter = Object.defineProperty({}, 'err', { get: () => assert.unreachable(), enumerable: true });
  for (const fields of [proxy, withGetter])
    assert.match(String(line(fields).msg), /^The log arguments cannot be read: /);
  assert.match(written((logger) => logger.error(throwing('message')))[0] ?? '', 'cannot be read: a getter');
  const text: string = Object.create(null);
  assert.match(String(line({}, text).msg), /^The log arguments cannot be read: /);
});

test('a line is short, whatever the member names, also for nested errors', () => {
  const names = Object.keys(line({ ['k'.repeat(1_000_000)]: 1, ['\0'.repeat(1_000_000)]: 2 }));
  assert.ok(names.some((name) => /^k{256}…$/.test(name)));
  line({ big: 10n ** 50_000n });
  let error = new Error('innermost');
  for (let depth = 0; depth < 7; depth += 1) error = new AggregateError(Array(8).fill(error), 'of eight');
  const began = performance.now();
  assert.match(JSON.stringify(line({ err: error })), 'cut off');
  assert.ok(performance.now() - began < 1_000);
});

test('secrets in a Map, and cookie objects, are masked', () => {
  const headers = new Map([
    ['Authorization', 'hush'],
    ['a', 'b'],
  ]);
  const said = line({ headers, cookies: { sid: 'hush' }, passwords: ['hush'], tokens: 7 });
  assert.equal(said.headers, [
    ['Authorization', '[redacted]'],
    ['a', 'b'],
  ]);
  assert.equal([said.cookies, said.passwords, said.tokens], ['[redacted]', '[redacted]', 7]);
});

test('no byte of a line is a terminal control sequence', () => {
  const [text = ''] = written((logger) => logger.info({ agent: '\u009b31m\u001b[2J\u007f' }, 'a\r\nb'));
  assert.match(text, /^[\x20-\x7e]+\n$/);
  assert.is(JSON.parse(text).agent, '\u009b31m\u001b[2J\u007f');
});

test.run();
