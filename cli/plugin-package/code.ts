import type { PluginNames } from './names.js';

/** `index.js`: the plugin. */
export const index = (
  names: PluginNames,
): string => `import { brand, definePlugin, option } from 'fwkit/plugin';

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
            const scope = project.scopes.open(undefined);
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
export const declarations = (
  names: PluginNames,
): string => `import type { BaseRoute, Plugin, RuntimeCtx } from 'fwkit/plugin';

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
