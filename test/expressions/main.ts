import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { repo } from '../harness/installed.js';
import { packageAs } from '../harness/packages.js';
import { KNOWN, UNUSED } from './known.js';

// npm run audit:expressions: see CONTRIBUTING.md. A minute, and 57 MB that are installed for it: not a test.

/** How long one expression is looked at, in milliseconds. */
const PATIENCE = 10_000;

interface Report {
  readonly status: 'safe' | 'vulnerable' | 'unknown';
  readonly complexity?: { readonly summary: string };
}
type Check = (source: string, flags: string, options: { readonly timeout: number }) => Report;

const home = packageAs('recheck', '4.5.0');
const { checkSync }: { checkSync: Check } = createRequire(path.join(home, 'package.json'))('recheck');

/** Every regular expression of the published files, with its file. */
function expressions(): ReadonlyMap<string, string> {
  const folder = path.join(repo, 'dist/bundle');
  const found = new Map<string, string>();
  const look = (node: unknown, file: string): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('regex' in node && 'raw' in node) found.set(String(node.raw), found.get(String(node.raw)) ?? file);
    for (const value of Object.values(node)) look(value, file);
  };
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.js')))
    look(parseAst(readFileSync(path.join(folder, file), 'utf8')), file);
  return found;
}

const all = expressions();
let count = 0;
for (const [expression, file] of all) {
  if (UNUSED.test(file) || KNOWN.has(expression)) continue;
  const end = expression.lastIndexOf('/');
  const { status, complexity } = checkSync(expression.slice(1, end), expression.slice(end + 1), {
    timeout: PATIENCE,
  });
  if (status === 'safe') continue;
  count += 1;
  console.log(`${expression} in ${file}: ${complexity?.summary ?? status}`);
}
const unused = [...KNOWN.keys()].filter((expression) => !all.has(expression));
for (const expression of unused) console.log(`${expression} is in KNOWN, and nowhere else: remove it there`);
console.log(`\n${all.size} expressions, ${count + unused.length} findings`);
process.exit(count + unused.length > 0 ? 1 : 0);
