import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { repo } from './harness/installed.js';
import {
  code,
  exportedBy,
  type Import,
  importsOf,
  lines,
  list,
  packageOf,
  ROOMS,
} from './harness/sources.js';

const foundations = ['http', 'context'];
const lineLimit = 400;
/** A test file may hold long tables of cases. */
const testLineLimit = 400;
/** The number of files in one folder that a reader can still take in at a glance. */
const folderLimit = 18;
/** A file with fewer lines is part of the only file that imports it. */
const smallFile = 40;
/** Files that every folder may have, however small they are. */
const fixedNames = new Set(['index.ts', 'internal.ts', 'guide.ts', 'doctor.ts', 'codes.ts']);
/** Small files that stay apart from the only file that imports them, each with the reason. */
const keptApart: Readonly<Record<string, string>> = {
  'app/reload/reload-channel.ts': 'the public entry takes its types, without the code that reports changes',
  'cli/commands/routes.ts': 'each command has a file',
};
/** Physical lines of all files together: the kernel can be read in one sitting. */
const kernelLimit = 1_500;

/** The only file that imports from every folder: the types of all error codes. */
const allCodes = 'app/entries/codes.ts';

/** Packages that have one home. */
const homes: Readonly<Record<string, RegExp>> = {
  kleur: /^cli\//,
  sade: /^cli\//,
  tapable: /^kernel\/hooks\.ts$/,
  '@modelcontextprotocol/server': /^plugins\/mcp\/sdk\//,
};

const sources = [...ROOMS, 'test'].flatMap(list);
const product = sources.filter((file) => !file.startsWith('test/'));
const packages = list('packages');
const imports = product.flatMap(importsOf);
const relative = imports.filter((one) => one.relative);
const tell = (found: readonly Import[]) => found.map(({ from, to }) => `${from} imports ${to}`);

const test = suite('architecture');

test('finds source files', () => {
  for (const folder of [
    'kernel/',
    'plugins/http/',
    'plugins/context/',
    'client/',
    'app/',
    'cli/',
    'test/e2e/',
  ]) {
    assert.ok(
      sources.some((file) => file.startsWith(folder)),
      folder,
    );
  }
  assert.ok(relative.length > 50 && imports.length > relative.length);
});

test('folders import only lower folders: cli → testkit, app → client → plugins → peers, loader → contributions, scope → kernel → node and packages', () => {
  const layers = [
    ['kernel'],
    ['scope', 'contributions'],
    ['loader', 'peers'],
    ['plugins'],
    ['client'],
    ['app'],
    ['testkit'],
    ['cli'],
  ];
  const layer = (file: string) => layers.findIndex((rooms) => rooms.includes(file.split('/')[0] ?? ''));
  // The published types include the codes of every folder. The compiler removes these imports.
  const inner = relative.filter(({ from, to }) => to !== 'package.json' && from !== allCodes);
  const wrong = inner.filter(({ from, to }) => layer(to) < 0 || layer(to) > layer(from));
  assert.equal(tell(wrong), []);
});

test('one file collects the types of all error codes and imports nothing else', () => {
  const own = product.filter((file) => path.posix.basename(file) === 'codes.ts');
  assert.equal(
    importsOf(allCodes).map(({ to }) => to.replace(/\.js$/, '.ts')),
    own.filter((file) => file !== allCodes && !file.startsWith('kernel/')).sort(),
  );
  assert.equal(tell(own.filter((file) => file !== allCodes).flatMap(importsOf)), []);
});

test('the kernel imports only tapable, picomatch and Node', () => {
  const wrong = imports.filter(
    ({ from, to, relative }) =>
      from.startsWith('kernel/') &&
      (relative ? !to.startsWith('kernel/') : !isBuiltin(to) && to !== 'tapable' && to !== 'picomatch'),
  );
  assert.equal(tell(wrong), []);
});

test('the client imports only types, and none that name Node', () => {
  const contract = 'plugins/http/contract.ts';
  const reached = new Set<string>();
  const reach = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const { to } of importsOf(file)) reach(to.replace(/\.js$/, '.ts'));
  };
  reach(contract);
  assert.equal(
    [...reached].filter((file) => !file.startsWith('plugins/http/')),
    [],
  );
  const outside = imports.filter(({ from, to }) => from.startsWith('client/') && !to.startsWith('client/'));
  assert.ok(outside.length > 0);
  assert.equal(tell(outside.filter(({ to }) => to !== contract.replace(/ts$/, 'js'))), []);
  const run = product.filter(
    (file) => file.startsWith('client/') && /^import \{[^}]*\} from '\.\.\/plugins/m.test(code(file)),
  );
  assert.equal(run, []);
});

test('no import cycle exists, type imports included', () => {
  const files = [...sources, ...packages];
  const targets = new Map(files.map((file) => [file, importsOf(file).filter((one) => one.relative)]));
  const done = new Set<string>();
  const cycleFrom = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const { to } of targets.get(file) ?? []) {
      const cycle = cycleFrom(to.replace(/\.js$/, '.ts'), [...path, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  const cycles = files.flatMap((file) => cycleFrom(file, [])?.join(' → ') ?? []);
  assert.equal([...new Set(cycles)], []);
});

test('plugins import lower folders and foundations only through their index or internal.ts', () => {
  const allowed = [
    'kernel/index.js',
    'scope/index.js',
    'contributions/index.js',
    'loader/index.js',
    'peers/index.js',
    ...foundations.flatMap((name) => [`plugins/${name}/index.js`, `plugins/${name}/internal.js`]),
  ];
  const wrong = relative.filter(({ from, to }) => {
    const folder = /^plugins\/[^/]+\//.exec(from)?.[0];
    return folder && !to.startsWith(folder) && !allowed.includes(to);
  });
  assert.equal(tell(wrong), []);
});

test('public entries stay within their limits, and no name is in two entries', () => {
  const limits: Readonly<Record<string, number>> = {
    'app/entries/index.ts': 101,
    'app/entries/http.ts': 45,
    'app/entries/plugin.ts': 70,
    'app/entries/mcp.ts': 30,
    'app/entries/peers.ts': 18,
    'testkit/index.ts': 25,
    'client/index.ts': 24,
    'client/query.ts': 1,
    'client/resilient.ts': 2,
  };
  const homes = new Map<string, string>();
  const twice: string[] = [];
  let total = 0;
  for (const [entry, limit] of Object.entries(limits)) {
    const names = exportedBy(entry);
    total += names.length;
    assert.ok(names.length <= limit, `${entry} exports ${names.length} names, of ${limit}`);
    for (const name of names) {
      const other = homes.get(name);
      if (other) twice.push(`${name} is in ${other} and ${entry}`);
      homes.set(name, entry);
    }
  }
  assert.equal(twice, []);
  assert.ok(total > 200 && total <= 300, `${total} names`);
});

test('the foundations import no leaf plugin, and http does not import context', () => {
  const wrong = relative.filter(
    ({ from, to }) =>
      from.startsWith('plugins/http/') && to.startsWith('plugins/') && !to.startsWith('plugins/http/'),
  );
  assert.equal(tell(wrong), []);
});

test('folders of plugins/http import only lower folders', () => {
  // Lowest first. Within server/, serving one request is the lowest level; draining waits for requests.
  const floors = [
    ['options.ts', 'request/'],
    ['io/', 'page-kit/'],
    ['body/', 'response/', 'errors/'],
    ['schema/', 'contract.ts'],
    ['routing/'],
    ['server/transport.ts'],
    ['server/serve/'],
    ['server/drain/'],
    ['server/listen/'],
    ['index.ts', 'internal.ts', 'guide.ts'],
  ];
  const root = 'plugins/http/';
  const floor = (file: string) =>
    floors.findIndex((rooms) => rooms.some((room) => file.slice(root.length).startsWith(room)));
  const inner = relative.filter(({ from, to }) => from.startsWith(root) && to.startsWith(root));
  assert.ok(inner.length > 100);
  const wrong = inner
    .map((one) => ({ ...one, to: one.to.replace(/\.js$/, '.ts') }))
    .filter(({ from, to }) => floor(from) < 0 || floor(to) < 0 || floor(to) > floor(from));
  assert.equal(tell(wrong), []);
});

test('stages are named', () => {
  const told = [...product, ...packages]
    .filter((file) => !file.startsWith('kernel/'))
    .flatMap((file) =>
      [...code(file).matchAll(/\{ name: [^{}]*\bstage: ([^,}]+?) \}/g)].flatMap(([, stage = '']) =>
        /^(?:Around)?Stage\.\w+$/.test(stage) ? [] : `${file}: ${stage}`,
      ),
    );
  assert.equal(told, []);
});

test('app code hosts the kernel and imports plugins only through their index', () => {
  const wrong = relative.filter(
    ({ from, to }) =>
      /^(app|testkit)\//.test(from) &&
      from !== allCodes &&
      !/^((kernel|scope|contributions|loader|peers)\/index|(app|testkit)\/.+|client\/(index|internal)|plugins\/[^/]+\/(index|internal))\.js$/.test(
        to,
      ),
  );
  assert.equal(tell(wrong), []);
});

test('no source imports fwkit by its own name', () => {
  assert.equal(tell(imports.filter(({ to }) => to.split('/')[0] === 'fwkit')), []);
});

test('restricted packages are imported only in their folder', () => {
  const wrong = imports.filter(({ from, to, relative }) => !relative && homes[to] && !homes[to].test(from));
  assert.equal(tell(wrong), []);
});

test('package.json lists every imported package', () => {
  const manifest = JSON.parse(readFileSync(path.join(repo, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  // Small packages are bundled, and so are dependencies of the build only.
  const named = { ...manifest.dependencies, ...manifest.devDependencies };
  const used = new Set(
    imports.filter((one) => !one.relative && !isBuiltin(one.to)).map(({ to }) => packageOf(to)),
  );
  assert.ok(used.size > 3, [...used].join());
  assert.equal(
    [...used].filter((name) => !named[name]),
    [],
  );
});

test('packages beside fwkit import only public names of fwkit and their own dependencies', () => {
  assert.ok(packages.length > 0);
  const wrong = packages.flatMap(importsOf).filter(({ from, to, relative }) => {
    const folder = from.split('/', 2).join('/');
    if (relative) return !to.startsWith(`${folder}/`);
    const { name, dependencies, peerDependencies } = JSON.parse(
      readFileSync(path.join(repo, folder, 'package.json'), 'utf8'),
    ) as { name: string } & Record<'dependencies' | 'peerDependencies', Record<string, string> | undefined>;
    // The files that it writes for projects import the package by name.
    return (
      !isBuiltin(to) && packageOf(to) !== name && !{ ...dependencies, ...peerDependencies }[packageOf(to)]
    );
  });
  assert.equal(tell(wrong), []);
});

test('folders of prove import only lower folders', () => {
  // Files beside the folders connect them and may import all of them.
  const floors = [['graph'], ['policy'], ['report'], ['impact', 'reach'], ['probe'], ['prove']];
  const room = (file: string) => /^packages\/prove\/([^/]+)\//.exec(file)?.[1];
  const floor = (file: string) => {
    const name = room(file);
    return name === undefined ? floors.length : floors.findIndex((names) => names.includes(name));
  };
  const inner = packages
    .filter((file) => file.startsWith('packages/prove/'))
    .flatMap(importsOf)
    .filter((one) => one.relative && room(one.from) !== room(one.to));
  assert.ok(inner.length > 50);
  assert.equal(tell(inner.filter(({ from, to }) => floor(to) < 0 || floor(to) >= floor(from))), []);
});

test('no folder has more than 18 files', () => {
  const counts = new Map<string, number>();
  for (const file of [...product, ...packages]) {
    const folder = path.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const full = [...counts].filter(([, count]) => count > folderLimit);
  assert.equal(full, []);
});

test('no small file has a single importer in its own folder', () => {
  const all = [...product, ...packages];
  const importers = new Map<string, Set<string>>();
  const exempt = new Set<string>();
  for (const file of all) {
    const at = (specifier = '') =>
      path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, '.ts');
    const text = code(file);
    // Type imports don't count: they may come from anywhere.
    for (const [, to] of text.matchAll(/^(?:import|export)\b(?! type\b)[^'"`;=]*?\bfrom\s*'(\.[^']+)'/gm))
      importers.set(at(to), (importers.get(at(to)) ?? new Set()).add(file));
    for (const [, to] of text.matchAll(/\bimport\(\s*'(\.[^']+)'/g)) exempt.add(at(to));
    // An index only re-exports.
    if (path.posix.basename(file) === 'index.ts')
      for (const [, to] of text.matchAll(/^export\b(?! type\b)[^;=]*?\bfrom\s*'(\.[^']+)'/gm))
        exempt.add(at(to));
  }
  const splinters = all.filter((file) => {
    const [importer, ...others] = importers.get(file) ?? [];
    return (
      importer !== undefined &&
      others.length === 0 &&
      path.dirname(importer) === path.dirname(file) &&
      lines(file) < smallFile &&
      !exempt.has(file) &&
      !fixedNames.has(path.posix.basename(file))
    );
  });
  assert.equal(splinters.sort(), Object.keys(keptApart).sort());
});

test('no file exceeds the line limit', () => {
  const limit = (file: string) => (file.startsWith('test/') ? testLineLimit : lineLimit);
  const long = [...sources, ...packages]
    .map((file) => [file, lines(file)] as const)
    .filter(([file, count]) => count > limit(file));
  assert.equal(long, []);
});

test('the kernel stays within its line limit', () => {
  const files = product.filter((file) => file.startsWith('kernel/'));
  const total = files.reduce((sum, file) => sum + lines(file), 0);
  assert.ok(total <= kernelLimit, `${total} lines, of ${kernelLimit}`);
});

test('the kernel mentions no protocol and no convention', () => {
  const told = product
    .filter((file) => file.startsWith('kernel/'))
    .flatMap((file) =>
      code(file)
        .split('\n')
        .map((text, index) => `${file}:${index + 1}: ${text.trim()}`)
        .filter((line) =>
          /http|\b(api|web|ws|mcp|services?|middlewares?|views?|GET|POST|host|port|urls)\b/.test(
            line.replace(/^\S+ /, ''),
          ),
        ),
    );
  assert.equal(told, []);
});

test('every test file calls run()', () => {
  const idle = sources
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => !/\w\.run\(\)|^(?:served|servedBothWays|everywhere)\(/m.test(code(file)));
  assert.equal(idle, []);
});

test('no source uses an escape hatch of the type system', () => {
  const told = [...product, ...packages].flatMap((file) =>
    code(file)
      .split('\n')
      .map((text, index) => `${file}:${index + 1}: ${text.trim()}`)
      .filter((line) =>
        /\bas unknown as\b|[:<,(] ?any\b[^'a-z]|\bas any\b|@ts-(ignore|expect-error|nocheck)/.test(line),
      ),
  );
  assert.equal(told, []);
});

test.run();
