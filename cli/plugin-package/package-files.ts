import type { PluginNames } from './names.js';

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** `package.json`, for plugins of this `version` of fwkit. */
export const manifest = (names: PluginNames, version: string): string =>
  json({
    name: names.package,
    version: '0.1.0',
    description: `Files under ${names.plugin}/, for fwk.`,
    type: 'module',
    exports: { types: './index.d.ts', default: './index.js' },
    files: ['index.js', 'index.d.ts', 'guide.js'],
    scripts: { test: 'node --test', check: 'tsc' },
    peerDependencies: { fwkit: `>=${version}` },
    devDependencies: {
      '@fwkit/build': `^${version}`,
      '@types/node': '>=20.19.0',
      fwkit: `^${version}`,
      typescript: '>=5.9',
    },
  });

/** `tsconfig.json`: the compiler checks the code against its declarations, and writes nothing. */
export const tsconfig = (): string =>
  json({
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      noEmit: true,
      allowJs: true,
      checkJs: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
    },
    // By name, because a pattern leaves out the code that has declarations beside it.
    files: ['index.js', 'index.d.ts'],
    include: ['*.js', '*.d.ts'],
  });

/** `index.test.js`: the laws of plugins, and what is its own. */
export const test = (names: PluginNames): string => `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluginLaws } from 'fwkit/testing';
import { ${names.factory} } from './index.js';

/** @type {import('fwkit/testing').PluginFixtures} */
const fixtures = {
  dir: import.meta.dirname,
  // A project that uses it.
  files: {
    'services/runs.js': \`
      import { service } from 'fwkit';
      export default service(() => ({ count: 0 }));
    \`,
    '${names.plugin}/hello.js': \`
      import { ${names.define} } from '${names.package}';
      export default ${names.define}((ctx) => { ctx.runs.count += 1; });
    \`,
  },
  // Mistakes that it has to report.
  broken: {
    '${names.plugin}/plain.js': 'export default () => {};',
    '${names.plugin}/nothing.js': \`
      import { ${names.define} } from '${names.package}';
      export default ${names.define}();
    \`,
  },
  // The work that it has to do, also after a reload, and after one that was rolled back.
  works: ({ ctx, routes }) => {
    const runs = /** @type {{ count: number }} */ (ctx.runs);
    assert.ok(runs.count > 0, 'the file was run');
    assert.ok(routes.some(({ label }) => label === '${names.plugin.toUpperCase()} hello'));
  },
};

for (const { name, check } of pluginLaws(${names.factory}(), fixtures)) test(name, check);

test('its options are checked', async () => {
  const config = { ${names.factory}: { quiet: 'yes' } };
  const [boot] = pluginLaws(${names.factory}(), { ...fixtures, config });
  await assert.rejects(async () => boot?.check(), /"${names.factory}\\.quiet" must be true or false; it is "yes"/);
});
`;

/** `README.md`. */
export const readme = (names: PluginNames): string => `# ${names.package}

A plugin for fwk: files under \`${names.plugin}/\` are run once the app has started.

\`\`\`ts
// src/fwk.config.ts
import { defineConfig } from 'fwkit';
import { ${names.factory} } from '${names.package}';

export default defineConfig({ plugins: [${names.factory}()] });

// src/${names.plugin}/hello.ts
import { ${names.define} } from '${names.package}';

export default ${names.define}(async (ctx) => ctx.logger.info('Hello'));
\`\`\`

\`fwk routes\` lists it as \`${names.plugin.toUpperCase()} hello\`. Each run gets a \`ctx\` of its own, as a request does. An edit runs a file again, once the
version before it has been replaced; an app that closes waits for what is running. \`disable: ['${names.plugin}']\` switches it off.
`;
