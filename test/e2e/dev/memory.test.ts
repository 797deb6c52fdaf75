import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { running } from '../../harness/running.js';

// fwk dev: versions that were replaced are gone.

const SIZE = 8_000_000;
const EDITS = 10;

/** A module that holds memory of its own, and tells how much of that kind the process has after full collections. */
const holds = (version: number) => `import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { get } from 'fwkit';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const held = new Uint8Array(${SIZE}).fill(${version});

export default get(async () => {
  for (let turn = 0; turn < 6; turn += 1) {
    collect();
    await new Promise(setImmediate);
  }
  return { version: held[0], bytes: process.memoryUsage().arrayBuffers };
});
`;

const test = suite('the memory of fwk dev');

test('holds no version before the last', () =>
  running({ 'api/held.ts': holds(0) }, async ({ json, save }) => {
    for (let version = 1; version <= EDITS; version += 1) {
      await save({ 'api/held.ts': holds(version) });
      const { bytes, version: now } = (await json('/api/held')) as { bytes: number; version: number };
      assert.is(now, version);
      assert.ok(bytes < 3.5 * SIZE, `${bytes} bytes after ${version} edits`);
    }
  }));

test.run();
