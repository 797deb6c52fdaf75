// Makes what is published: three entry points with shared chunks. Loading one file instead of sixty takes two thirds
// off the start of every command. What each run needs from packages is bundled; what only some need stays outside.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

rmSync('dist/bundle', { recursive: true, force: true });
const { metafile, outputFiles } = await build({
  entryPoints: {
    cli: 'cli/main.ts',
    app: 'plugins/index.ts',
    plugin: 'kernel/index.ts',
    mcp: 'plugins/mcp.ts',
    testing: 'plugins/testing.ts',
  },
  outdir: 'dist/bundle',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]),
  metafile: true,
  write: false,
  logLevel: 'warning',
});

mkdirSync('dist/bundle');
for (const { path, text } of outputFiles) writeFileSync(path, takeBuiltins(text));

/**
 * An `import` of a module of Node's own evaluates all that it exports, and so loads web streams, File, MIME types and
 * more, which Node would load when first used: 15 ms. What is taken from it by name loads nothing else.
 */
function takeBuiltins(text) {
  const taken = text.replace(
    /^import (\w+|\{[^}]*\}) from "(node:[\w/]+)";$/gm,
    (_, names, module) => `const ${names.replaceAll(' as ', ': ')} = process.getBuiltinModule("${module}");`,
  );
  const left = /^import .*"node:.*$/m.exec(taken)?.[0];
  if (left) throw new Error(`An import of another form: ${left}`);
  // CommonJS packages that are bundled call `require` for Node's own modules.
  const require = 'const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);';
  return /\brequire[(.]|typeof require/.test(taken) ? `${require}\n${taken}` : taken;
}

const bundled = new Set(
  Object.keys(metafile.inputs).flatMap(
    (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [],
  ),
);
const licenses = [...bundled].sort().map((name) => {
  const folder = `node_modules/${name}`;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} is bundled but has no license file to go with it`);
  return `${name}\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
});
writeFileSync('dist/bundle/LICENSES.txt', licenses.join(`\n${'-'.repeat(80)}\n\n`));
