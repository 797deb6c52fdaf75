import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { builtins } from '../app/builtins.js';
import { tableRows } from './harness/documents.js';
import { type Ended, fwk } from './harness/fwk.js';
import { repo } from './harness/installed.js';
import { project } from './harness/project.js';
import { code, exportedBy, list, ROOMS } from './harness/sources.js';

// The reference has every option, command, flag, variable and public name, and no others.

const test = suite('the reference');

const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The keys of options.md with their defaults. `mcp.name`, `title`: the second belongs to `mcp`, too. */
const documented = (): Map<string, string> => {
  const rows = tableRows('docs/reference/options.md').flatMap(({ names, cells: [fallback = ''] }) =>
    names.map((name, index): [string, string] => {
      const [group = ''] = names[0]?.split('.') ?? [];
      return [index === 0 || name.includes('.') ? name : `${group}.${name}`, fallback];
    }),
  );
  // One row lists them all and links to the page with the defaults.
  const headers = tableRows('docs/guide/security-headers.md').filter(({ section }) => section === '');
  assert.ok(headers.length > 8);
  const defaults = headers.map(({ names: [name = ''], cells: [fallback = ''] }): [string, string] => [
    `securityHeaders.${name}`,
    fallback,
  ]);
  return new Map([...rows, ...defaults]);
};

/** Variables of separately published packages; each must occur in their sources. */
const PACKAGES: Readonly<Record<string, string>> = {
  queues: 'packages/queue',
  cron: 'packages/cron',
  redis: 'packages/redis',
  postgres: 'packages/postgres',
  metrics: 'packages/metrics',
};

test('every option is listed, and every listed key is an option', () => {
  const keys = documented();
  assert.ok(keys.size > 90, `${keys.size}`);
  const known = new Map(
    builtins().flatMap(({ name, options = {} }) =>
      Object.entries(options).map(([key, { fallback }]): [string, unknown] => [
        key === 'enabled' ? camel(name) : `${camel(name)}.${key}`,
        fallback,
      ]),
    ),
  );
  assert.equal(
    [...known.keys()].filter((key) => !keys.has(key)),
    [],
    'options that docs/reference/options.md lacks',
  );
  const surplus = [...keys.keys()].filter((key) => {
    if (known.has(key) || ['plugins', 'disable', 'disableUnsafe'].includes(key)) return false;
    const [group = '', option = ''] = key.split('.');
    const folder = PACKAGES[group];
    if (folder === undefined) return true;
    return !list(folder).some((file) => new RegExp(`\\b${option}\\b`).test(code(file)));
  });
  assert.equal(surplus, [], 'keys that are no option');
  const wrong = [...known].flatMap(([key, fallback]) => {
    const written = /^`([^`]+)`$/.exec(keys.get(key) ?? '')?.[1];
    // In words, or the name of a variable.
    if (fallback === undefined || written === undefined || /^[A-Z_]+$/.test(written)) return [];
    const value: unknown = new Function(`return (${written})`)();
    // For an object, the default of each key.
    const same = JSON.stringify(value) === JSON.stringify(fallback) || JSON.stringify(fallback) === '{}';
    return same ? [] : [`${key}: ${JSON.stringify(fallback)}, not ${written}`];
  });
  assert.equal(wrong, []);
});

test('editors show the meaning and unit of every option', () => {
  const missing = builtins().flatMap(({ name, options = {} }) => {
    const text = list(`plugins/${name}`)
      .map((file) => readFileSync(path.join(repo, file), 'utf8'))
      .join('\n');
    return Object.entries(options).flatMap(([key, { expected }]) => {
      const before = `/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s*(?://.*\\s*)*`;
      const [, said] = new RegExp(`${before}\\b${key}: \\w+[.(<]`).exec(text) ?? [];
      const [, unit = ''] = /^a whole number of (bytes|milliseconds|seconds)/.exec(expected) ?? [];
      return said?.toLowerCase().includes(unit) ? [] : [`${camel(name)}.${key}: ${said} (${unit})`];
    });
  });
  assert.equal(missing, []);
});

test('disable lists the built-in plugins', () => {
  const row = tableRows('docs/reference/options.md').find(({ names }) => names[0] === 'disable');
  const written = /`([^`]+)`/.exec(row?.cells[1] ?? '')?.[1]?.split(' ');
  assert.equal(
    written?.sort(),
    builtins()
      .map(({ name }) => name)
      .sort(),
  );
});

test('every command and flag is listed, and nothing else', async () => {
  const empty = project({});
  const help = async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr }: Ended = await fwk(empty, ...args, '--help');
    assert.is(status, 0, stderr);
    return stdout;
  };
  const commands = [...(await help()).matchAll(/^ {4}(\w+) {2,}\S/gm)].map(([, name = '']) => name);
  assert.ok(commands.includes('dev') && commands.length > 8, commands.join());
  const real = new Set<string>();
  for (const name of commands) {
    real.add(name);
    for (const [, flag = ''] of (await help(name)).matchAll(/^ {4}(?:-\w, )?(--\w+)/gm))
      if (!['--dir', '--help'].includes(flag)) real.add(`${name} ${flag}`);
  }
  const written = new Set<string>();
  for (const { names } of tableRows('docs/reference/commands.md'))
    for (const usage of names) {
      const [, name = ''] = /^fwk (\w+)/.exec(usage) ?? [];
      written.add(name);
      for (const [flag] of usage.matchAll(/--\w+/g)) written.add(`${name} ${flag}`);
    }
  assert.equal([...written].sort(), [...real].sort());
});

test('every export of the packages beside fwkit is on a page or in the README of its package', () => {
  const pages = readdirSync(path.join(repo, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => readFileSync(path.join(repo, 'docs', file), 'utf8'));
  for (const name of ['cron', 'metrics', 'opentelemetry', 'postgres', 'prove', 'queue', 'redis']) {
    const folder = path.join(repo, 'packages', name);
    const { exports } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
      exports: Record<string, string | { types: string }>;
    };
    const entries = Object.values(exports).flatMap((to) => (typeof to === 'string' ? [] : [to.types]));
    assert.ok(entries.length > 0, name);
    const said = [...pages, readFileSync(path.join(folder, 'README.md'), 'utf8')].join('\n');
    for (const entry of entries) {
      const file = `packages/${name}/${entry.replace('./dist/', '').replace('.d.ts', '.ts')}`;
      assert.equal(
        exportedBy(file).filter((one) => !new RegExp(`\\b${one}\\b`).test(said)),
        [],
        file,
      );
    }
  }
});

test('every environment variable is listed, and nothing else', () => {
  const read = [...ROOMS, 'packages']
    .flatMap(list)
    // Starters and advice contain code of projects.
    .filter((file) => !/guide\.ts$|\/(dist|bench)\//.test(file))
    .flatMap((file) => [
      ...code(file)
        .replace(/`(?:\\[\s\S]|[^`\\])*`|\(\) => new Redis\([^)]*\)|createClient\([^)]*\)/g, '')
        .matchAll(/process\.env\.([A-Z][A-Z\d_]+)|'([A-Z][A-Z\d_]+)' in process\.env/g),
    ])
    .map(([, dotted, quoted]) => dotted ?? quoted ?? '');
  const written = tableRows('docs/reference/environment.md').flatMap(({ names }) => names);
  assert.equal([...new Set(written)].sort(), [...new Set(read)].sort());
});

test('api.md lists exactly the exports of each entry', () => {
  const manifest = JSON.parse(readFileSync(path.join(repo, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  const rows = tableRows('docs/reference/api.md');
  for (const section of new Set(rows.map((row) => row.section))) {
    const entry = /`fwkit\/?(.*)`/.exec(section)?.[1] ?? assert.unreachable(section);
    const target = manifest.exports[entry === '' ? '.' : `./${entry}`];
    if (typeof target !== 'object') throw new Error(`There is no entry ${section}.`);
    const names = exportedBy(target.types.replace('./dist/', '').replace('.d.ts', '.ts'));
    const here = rows.filter((row) => row.section === section);
    const listed = here.flatMap((row) => row.names.flatMap((one) => one.split(' ')));
    assert.equal(
      listed.filter((name) => !names.includes(name)),
      [],
      `${section} lists what is not exported`,
    );
    const said = here.flatMap(({ names: own, cells }) => [own.join(' '), ...cells]).join(' ');
    assert.equal(
      names.filter((name) => !new RegExp(`\\b${name}\\b`).test(said)),
      [],
      `${section} lacks exports`,
    );
  }
});

test.run();
