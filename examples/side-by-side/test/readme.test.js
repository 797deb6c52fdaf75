import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { table } from '../lines.js';

const root = path.join(import.meta.dirname, '..');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');

test('the table in the README matches lines.js', () => {
  const [, shown = ''] = /<!-- lines -->\n([\s\S]*?)\n<!-- \/lines -->/.exec(readme) ?? [];
  assert.equal(shown, table());
});

test('the code in the README is in the sources', () => {
  const squeezed = (text) => text.replace(/\s+/g, ' ').trim();
  const sources = ['fwk', 'fastify', 'hono'].map((framework) => {
    const folder = path.join(root, framework, 'src');
    const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.ts'));
    return squeezed(names.map((name) => readFileSync(path.join(folder, name), 'utf8')).join('\n'));
  });
  const quotes = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => squeezed(code));
  assert.ok(quotes.length > 10);
  const strange = quotes.filter((quote) => !sources.some((source) => source.includes(quote)));
  assert.deepEqual(strange, []);
});
