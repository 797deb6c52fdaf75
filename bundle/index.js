// Builds the published files. The code that every app needs to serve is one file: loading it instead of sixty files takes two thirds
// off each start. Other code stays in separate files, and packages that only some apps need stay external.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { splitCore } from './core.js';
import { bundlePage, writeStyle } from './page.js';

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
// `cookie` is a dependency only because of its types.
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
      // Each group includes all its imports, except modules that an earlier group has.
      groups: [
        { name: 'core', test: /\/app\/entries\/index\.ts$|rolldown\/runtime/, priority: 2 },
        // Also used by `fwkit/testing`, which runs no command.
        { name: 'locate', test: /\/app\/locate\.ts$/, priority: 1 },
        // Loaded by every command: fifteen small files take 1 to 5 ms longer.
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
mkdirSync('dist/bundle', { recursive: true });
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

// Also for browsers; minified, because pages load them. `client.js` has no imports, and the other entries import only this file.
for (const [input, file] of [
  ['client/index.ts', 'client.js'],
  ['client/query.ts', 'client-query.js'],
  ['client/resilient.ts', 'client-resilient.js'],
]) {
  const [{ code }] = (
    await build({
      input,
      platform: 'browser',
      plugins: [
        {
          name: 'client',
          resolveId: (id) => (id === './index.js' ? { id: './client.js', external: true } : undefined),
        },
      ],
      resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
      transform: { target: 'es2022' },
      output: { format: 'esm', comments: false, minify: true },
      write: false,
    })
  ).output;
  // One line per function: Node shows the source line of an uncaught error.
  write(file, code.replace(/\}(?=(?:async )?function[ *])/g, '}\n'));
}
write('openapi-docs.html', await bundlePage('plugins/openapi/page'));
write('inspector.html', await bundlePage('plugins/inspector/page'));
write('mcp-page.html', await bundlePage('plugins/mcp/page'));
writeStyle(write);

/** Destructures imports of Node modules: an `import` evaluates all exports, and so loads web streams, File and more, in 15 ms. */
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

/** The package of a path, also in the comments with which bundlers mark the packages that they have inlined. */
const PACKAGE = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//;
const INLINED = /^\/\/#region .*node_modules\/.*$/gm;
const pathsIn = (file) => [file, ...(readFileSync(file, 'utf8').match(INLINED) ?? [])];
/** The version of each package; undefined for the installed one. */
const bundled = new Map(
  output
    .flatMap(({ moduleIds }) => moduleIds.filter((file) => PACKAGE.test(file) && existsSync(file)))
    .flatMap(pathsIn)
    .map((path) => [PACKAGE.exec(path)[1], /\.pnpm\/.+?@(\d[\d.]*)/.exec(path)?.[1]]),
);
const components = [...bundled].sort().map(([name, inlined]) => {
  const folder = `node_modules/${name}`;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} is bundled but has no license file to go with it`);
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const text = readFileSync(`${folder}/${file}`, 'utf8').trim();
  return { name, version: inlined ?? manifest.version, license: manifest.license, text };
});
const licenses = components.map(({ name, version, text }) => `${name} ${version}\n\n${text}\n`);
writeFileSync('dist/bundle/LICENSES.txt', licenses.join(`\n${'-'.repeat(80)}\n\n`));

// A software bill of materials (CycloneDX 1.6), because `npm audit` can't see what is bundled.
const library = ({ name, version, license }) => ({
  type: 'library',
  'bom-ref': `${name}@${version}`,
  name,
  version,
  purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  licenses: [{ license: { id: license } }],
});
const own = JSON.parse(readFileSync('package.json', 'utf8'));
const materials = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component: library(own) },
  components: components.map(library),
};
write('sbom.cdx.json', `${JSON.stringify(materials, null, 1)}\n`);
