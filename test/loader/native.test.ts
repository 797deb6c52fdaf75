import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nativeLoader, positionOf } from '../../loader/index.js';
import { moduleError, project, rejection } from './project.js';

test('imports as Node does', async () => {
  const { at } = project({ 'a.js': `import './b.js'; export const a = import.meta.url;`, 'b.js': '' });
  const loader = nativeLoader();
  const namespace = await loader.import(at('a.js'));
  assert.match(String(namespace.a), /^file:/);
  assert.is(await loader.import(at('a.js')), namespace);
});

test('reports a text that does not parse', async () => {
  const { at } = project({ 'a.js': `const b = = 2;` });
  const error = await moduleError(nativeLoader().import(at('a.js')));
  assert.equal(
    [error.code, error.file, error.message],
    ['ERR_MODULE_SYNTAX', at('a.js'), `Unexpected token '='`],
  );
});

test('reports the missing module or export', async () => {
  const { at } = project({
    'a.js': `\nimport './sub/none.js';`,
    'b.js': `import 'nowhere';`,
    'c.js': `\n\nimport { x } from './d.js';`,
    'd.js': 'export default 1;',
  });
  const load = (file: string) => moduleError(nativeLoader().import(at(file)));
  const seen = [];
  for (const { code, file, line } of [await load('a.js'), await load('b.js'), await load('c.js')])
    seen.push([code, file, line]);
  assert.equal(seen, [
    ['ERR_MODULE_NOT_FOUND', at('a.js'), 2],
    ['ERR_MODULE_NOT_FOUND', at('b.js'), 1],
    ['ERR_MODULE_EXPORT', at('c.js'), 3],
  ]);
  assert.is((await load('c.js')).excerpt, `2 | \n3 | import { x } from './d.js';\n  |          ^`);
  const none = await load('none.js');
  assert.equal([none.code, none.file, none.line], ['ERR_MODULE_NOT_FOUND', at('none.js'), undefined]);
});

test('passes errors of a module through', async () => {
  const { at, root } = project({ 'a.js': `export {};\n  JSON.parse('{');`, 'b.js': `throw 'text';` });
  const error = await rejection(nativeLoader().import(at('a.js')));
  assert.instance(error, SyntaxError);
  assert.equal(positionOf(error, root), { file: at('a.js'), line: 2, column: 8 });
  assert.is(await rejection(nativeLoader().import(at('b.js'))), 'text');
});

test.run();
