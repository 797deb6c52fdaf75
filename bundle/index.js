// Makes what is published. What every app needs to serve is one file: loading it instead of sixty takes two thirds off
// each start. What only some need stays in files of its own, and packages that only some need stay outside.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { splitCore } from './core.js';
import { bundlePage, writeStyle } from './page.js';

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
// `cookie` is a dependency for the sake of its types.
const outside = Object.keys(dependencies).filter((name) => name !== 'cookie');

const { output } = await build({
  input: {
    cli: 'cli/main.ts',
    rehearsal: 'cli/build/rehearsal.ts',
    app: 'app/entries/index.ts',
    plugin: 'app/entries/plugin.ts',
    http: 'app/entries/http.ts',
    mcp: 'app/entries/mcp.ts',
    peers: 'app/entries/peers.ts',
    testing: 'testkit/index.ts',
  },
  external: outside.flatMap((name) => [name, new RegExp(`^${name}/`)]),
  platform: 'node',
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  transform: { target: 'node20' },
  output: {
    format: 'esm',
    comments: false,
    codeSplitting: {
      // Each with all that it imports, and that none before it has.
      groups: [
        { name: 'core', test: /\/app\/entries\/index\.ts$|rolldown\/runtime/, priority: 2 },
        // Of use to `fwkit/testing`, too, which runs no command.
        { name: 'locate', test: /\/app\/locate\.ts$/, priority: 1 },
        // What every command loads: fifteen small files take 1 to 5 ms longer.
        {
          name: 'command',
          test: /\/cli\/(?:commands\/index|command-line|project|terminal\/problems)\.ts$/,
        },
      ],
    },
  },
  write: false,
});

if (!output.some(({ name }) => name === 'core')) throw new Error('No module of the group "core" was found.');

rmSync('dist/bundle', { recursive: true, force: true });
mkdirSync('dist/bundle');
// Of the core as it was: commands would leave it there for an hour.
rmSync('cli/fwk.code-cache', { force: true });
const write = (fileName, code) => writeFileSync(join('dist/bundle', fileName), code);
const runtime = output.find(({ fileName }) => fileName.startsWith('rolldown-runtime'));
for (const { name, fileName, code } of output) {
  const text = takeBuiltins(code);
  if (name === 'core' && !process.env.FWK_WITHOUT_CODE_CACHE) {
    const file = fileName.replace(/js$/, 'cjs');
    const { script, module } = splitCore(text, runtime.code, file);
    write(file, script);
    write(fileName, module);
  } else write(fileName, text);
}

// One file without imports, for browsers, too; minified, since pages load it.
const [client] = (
  await build({
    input: 'client/index.ts',
    platform: 'browser',
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    transform: { target: 'es2022' },
    output: { format: 'esm', comments: false, minify: true },
    write: false,
  })
).output;
// A line for each function: Node shows the line of an error that nobody catches.
write('client.js', client.code.replace(/\}(?=(?:async )?function[ *])/g, '}\n'));
write('openapi-docs.html', await bundlePage('plugins/openapi/page'));
write('inspector.html', await bundlePage('plugins/inspector/page'));
writeStyle(write);

/**
 * An `import` of a module of Node's own evaluates all that it exports, and so loads web streams, File, MIME types and
 * more, which Node would load when first used: 15 ms. What is taken from it by name loads nothing else.
 */
function takeBuiltins(text) {
  const take = (names, from) =>
    `const ${names.replaceAll(' as ', ': ')} = globalThis.process.getBuiltinModule("${from}");`;
  const taken = text.replace(
    /^import (?:(?:\* as )?([\w$]+)(?:, )?)?(\{[^}]*\})? from "(node:[\w/]+)";$/gm,
    (_, whole, names, from) => [whole, names].flatMap((one) => (one ? take(one, from) : [])).join(' '),
  );
  const left = /^import .*"node:.*$/m.exec(taken)?.[0];
  if (left) throw new Error(`An import of another form: ${left}`);
  return taken;
}

const bundled = new Set(
  output.flatMap(({ moduleIds }) =>
    moduleIds.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  ),
);
const licenses = [...bundled].sort().map((name) => {
  const folder = `node_modules/${name}`;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} is bundled but has no license file to go with it`);
  return `${name}\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
});
writeFileSync('dist/bundle/LICENSES.txt', licenses.join(`\n${'-'.repeat(80)}\n\n`));
