import { BootError } from '../kernel/index.js';

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

/** `index.js`: the plugin. */
export const index = (
  names: PluginNames,
): string => `import { brand, definePlugin, option, scopesOf } from 'fwkit/plugin';

/** @import { BaseRoute } from 'fwkit/plugin' */
/** @import { ${names.type}, ${names.type}Route } from './index.js' */

/** Marks what ${names.define}() made, also for another copy of this package. */
const mark = /** @type {typeof brand<${names.type}>} */ (brand)('${names.package}.definition');

/** @type {typeof import('./index.js').${names.define}} */
export function ${names.define}(run) {
  if (typeof run !== 'function') throw new TypeError('${names.define}() takes a function (ctx)');
  return mark.mark({ run });
}

/** @type {typeof import('./index.js').${names.factory}} */
export const ${names.factory} = () =>
  definePlugin({
    name: '${names.plugin}',
    options: { quiet: option.boolean(false) },
    guide: () => import('./guide.js'),
    // The type of its options, for fwk.config: written into the generated types of each project.
    types: () => ({
      declarations: \`  interface Config {
    readonly ${names.factory}?: import('${names.package}').${names.type}Options;
  }
\`,
    }),
    apply(hooks, { quiet }) {
      // Its own files, by their paths alone: nothing is read yet.
      hooks.discover.tap('${names.plugin}', (claims) => claims.add('${names.plugin}', '${names.plugin}/**'));

      // The files are imported once per version, with a sentence for each that is wrong.
      hooks.resolve.tapPromise('${names.plugin}', async (routes, project) => {
        const found = project.files('${names.plugin}').map(async (entry) => {
          const module = await project.load(entry);
          const definition = module?.default;
          const label = \`${names.plugin.toUpperCase()} \${entry.file.replace(/^${names.plugin}\\/|\\.m?[jt]s$/g, '')}\`;
          if (mark.has(definition))
            return [{ ...entry, protocol: '${names.plugin}', label, id: label, definition }];
          if (module) project.report(entry.file, 'is not of ${names.plugin}. Export default ${names.define}((ctx) => …).', '${names.plugin.toUpperCase().replaceAll('-', '_')}-1');
          return [];
        });
        return [...routes, ...(await Promise.all(found)).flat()];
      });

      // Their work, as long as this version of the project serves.
      hooks.serve.tapPromise('${names.plugin}', async ({ routes, project, onStart, onClose }) => {
        const { logger } = project;
        for (const { file, label, definition } of routes.filter(isOwn)) {
          const run = async () => {
            // ctx with what lives for one run, as for one request.
            const scope = scopesOf(project).open(undefined);
            try {
              await definition.run(scope.ctx);
              if (!quiet) logger.info(\`\${label} is done.\`);
            } catch (thrown) {
              logger.error({ err: thrown }, \`\${project.display(file)} failed\`);
            } finally {
              await scope.close();
            }
          };
          // Not before: until it starts, a version may still be called off.
          onStart(() => {
            const running = run();
            // The next version, or the end of the app, waits for what was begun.
            onClose(() => running);
          });
        }
      });
    },
  });

/**
 * @param {BaseRoute} route
 * @returns {route is ${names.type}Route}
 */
const isOwn = (route) => route.protocol === '${names.plugin}';
`;

/** `index.d.ts`: its types. */
export const declarations = (names: PluginNames): string => `import type { RuntimeCtx } from 'fwkit';
import type { BaseRoute, Plugin } from 'fwkit/plugin';

/** What \`${names.plugin}\` in \`fwk.config\` may be. */
export interface ${names.type}Options {
  /** Whether it logs nothing of what went well. Default: false. */
  readonly quiet?: boolean;
}

/** The export of a file under \`${names.plugin}/\`. */
export interface ${names.type} {
  readonly run: (ctx: RuntimeCtx) => unknown;
}

export interface ${names.type}Route extends BaseRoute {
  readonly protocol: '${names.plugin}';
  readonly definition: ${names.type};
}

/** \`export default ${names.define}(async (ctx) => …)\`: what to do when the app has started. */
export function ${names.define}(run: ${names.type}['run']): ${names.type};

/** The plugin: \`export default defineConfig({ plugins: [${names.factory}()] })\`. */
export function ${names.factory}(): Plugin;
`;

/** `guide.js`: what it says of itself to newcomers. */
export const guide = (names: PluginNames): string => `import { emitModule } from 'fwkit/plugin';

/** @import { Guide } from 'fwkit/plugin' */

const example = (name = 'ctx') => \`import { ${names.define} } from '${names.package}';

export default ${names.define}(async (\${name}) => \${name}.logger.info('Hello'));
\`;

/** For \`fwk scaffold\`. @type {NonNullable<Guide['starter']>} */
export function starter(generation) {
  emitModule(generation, '${names.plugin}/hello', () => example());
}

/** For \`fwk skills\`. @type {NonNullable<Guide['guidance']>} */
export function guidance({ project }) {
  const { language } = project;
  return \`## ${names.plugin}: \\\`\${project.display('${names.plugin}')}/\\\`

Each file is run once the app has started, and again when an edit changes it:

\\\`\\\`\\\`\${language}
// \${project.display(\`${names.plugin}/hello.\${language}\`)}
\${example()}\\\`\\\`\\\`
\`;
}
`;

/** The names of a plugin package and its parts. */
export interface PluginNames {
  /** `daily-report`: of the plugin, and of the directory of its files. */
  readonly plugin: string;
  /** `fwk-daily-report`: of the package, and of the folder that it is in. */
  readonly package: string;
  /** `dailyReport`: the function that makes the plugin, and its key in `fwk.config`. */
  readonly factory: string;
  /** `defineDailyReport`: the function whose result a file exports. */
  readonly define: string;
  /** `DailyReport`: the type of that. */
  readonly type: string;
}

const KEBAB_CASE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const MAX_LENGTH = 60;

/** Words that no function may have as its name, and names that the files of the package use for something else. */
const UNUSABLE = new Set([
  ...'arguments async await break case catch class const continue debugger default delete do else enum eval'.split(
    ' ',
  ),
  ...'export extends false finally for function if implements import in instanceof interface let new null'.split(
    ' ',
  ),
  ...'package private protected public return static super switch this throw true try typeof undefined'.split(
    ' ',
  ),
  ...'var void while with yield'.split(' '),
  ...'app assert brand check config disable fixtures name option plugin plugins test'.split(' '),
]);

/** The names of a plugin that is to be called `given`. Throws a BootError where it cannot be called that; `taken` are names of built-ins. */
export function namesOf(given: string, taken: readonly string[]): PluginNames {
  const refuse = (message: string): never => {
    throw new BootError({ message, code: 'FWK614' });
  };
  if (given.startsWith('fwk-'))
    refuse(`"${given}" begins with fwk-, which is put before the name anyway. Leave it out.`);
  if (!KEBAB_CASE.test(given))
    refuse(
      `"${given}" cannot be the name of a plugin. Use lower-case letters, digits and single dashes, such as "daily-report".`,
    );
  if (given.length > MAX_LENGTH)
    refuse(`"${given}" is longer than ${MAX_LENGTH} characters. Choose a shorter name.`);
  if (taken.includes(given)) refuse(`"${given}" belongs to a built-in plugin. Choose another name.`);
  if (UNUSABLE.has(given))
    refuse(`"${given}" cannot be the name of a function in its code. Choose another name.`);
  const factory = given.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const type = factory.charAt(0).toUpperCase() + factory.slice(1);
  return { plugin: given, package: `fwk-${given}`, factory, define: `define${type}`, type };
}
