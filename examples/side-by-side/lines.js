import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// Counts lines of code, without empty lines and comments. `node lines.js` prints the table of the README.

const here = import.meta.dirname;
const FRAMEWORKS = ['fwk', 'fastify', 'hono'];

const files = (folder) =>
  readdirSync(path.join(here, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

const linesOf = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*(\/\/|\/?\*)/.test(line));

/** The counted files of each framework. */
export function count() {
  return FRAMEWORKS.map((framework) => {
    const sources = files(`${framework}/src`);
    const lines = sources.flatMap(linesOf);
    return {
      framework,
      files: sources.length,
      lines: lines.length,
      imports: lines.filter((line) => /^import\b/.test(line)).length,
      characters: lines.reduce((sum, line) => sum + line.trim().length, 0),
      test: files(`${framework}/test`).flatMap(linesOf).length,
    };
  });
}

/** Returns the counts as a table in Markdown. */
export function table() {
  const counted = count();
  const row = (label, key) =>
    `| ${label} | ${counted.map((one) => one[key].toLocaleString('en')).join(' | ')} |`;
  return [
    `| | ${counted.map(({ framework }) => framework).join(' | ')} |`,
    '|---|--:|--:|--:|',
    row('files', 'files'),
    row('lines of code', 'lines'),
    row('of these imports', 'imports'),
    row('characters, without indentation', 'characters'),
    row('lines of its test', 'test'),
  ].join('\n');
}

if (process.argv[1] === import.meta.filename) console.log(table());
