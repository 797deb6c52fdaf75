import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { running } from '../../harness/running.js';
import { route } from '../../harness/source.js';

// fwk dev: names of the project's own, from `imports` and `exports` of its package.json.

const pack = (fields: object) => JSON.stringify({ type: 'module', name: 'shop', ...fields });

const test = suite('edited package imports');

test('names of package.json count as they are now', () => {
  const files = {
    'package.json': pack({
      imports: { '#word': './src/lib/word.ts' },
      exports: { './word': './src/lib/word.ts' },
    }),
    'lib/word.ts': `export default 'first';`,
    'lib/other.ts': `export default 'second';`,
    'api/word.get.ts': `import word from '#word';\nimport self from 'shop/word';\n${route('get', '() => [word, self]')}`,
  };
  return running(files, async ({ save, json }) => {
    assert.equal(await json('/api/word'), ['first', 'first']);
    await save({
      'package.json': pack({
        imports: {
          '#word': { node: './src/lib/other.ts', default: './src/lib/word.ts' },
          '#lib/*': './src/lib/*.ts',
        },
        exports: { './word': './src/lib/other.ts' },
      }),
    });
    assert.equal(await json('/api/word'), ['second', 'second']);
    await save({
      'api/late.get.ts': `import word from '#lib/other';\n${route('get', '() => word')}`,
    });
    assert.is(await json('/api/late'), 'second');
  });
});

test.run();
