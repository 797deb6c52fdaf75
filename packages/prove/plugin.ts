import { definePlugin, type Plugin } from 'fwkit/plugin';
import { guardTypes } from './policy/guards.js';

/** The type of `.meta({ may })`: keys of `ctx`, kinds of access, and names of packages. */
const mayTypes = `  interface RouteMeta {
    /** Everything that it may reach, middlewares included: values of \`ctx\`, packages, \`env:NAME\`, \`net\`, \`fs\`. \`fwk build\` checks it. */
    readonly may?: readonly (
      | Exclude<keyof RuntimeCtx, 'logger'>
      | 'net'
      | 'fs'
      | \`env:\${string}\`
      | \`node:\${string}\`
      | (string & {})
    )[];
  }
`;

/** Adds the commands `fwk prove`, `fwk impact` and `fwk reach`. */
export const prove = (): Plugin =>
  definePlugin({
    name: 'prove',
    needs: ['http'],
    guide: () => import('./guide.js'),
    types: (project) => ({ declarations: `${guardTypes(project).declarations}${mayTypes}` }),
    commands: [
      {
        name: 'prove',
        description: 'Check the project against its policy: who may call which route.',
        flags: [
          { name: 'since', value: 'ref', description: 'Only routes that the change since a git ref reaches' },
          { name: 'baseline', description: 'Write all findings to prove.baseline.json as known' },
          { name: 'static', description: 'Check without requests' },
          { name: 'json', description: 'Print the report as JSON' },
          { name: 'github', description: 'Print annotations for GitHub Actions' },
        ],
        load: () => import('./prove/run.js'),
      },
      {
        name: 'reach',
        description: 'List the values of ctx, variables, packages and files that each route can touch.',
        operands: '[route...]',
        flags: [{ name: 'json', description: 'Print it as JSON' }],
        load: () => import('./reach/survey.js'),
      },
      {
        name: 'impact',
        description: 'List the routes, pages, sockets, tools, jobs and tests that a change reaches.',
        operands: '[files...]',
        flags: [
          {
            name: 'since',
            value: 'ref',
            description: 'Compare with where this branch left a ref of git: main',
          },
          { name: 'json', description: 'Print the report as JSON' },
          { name: 'tests', description: 'Print the test files alone, one path per line' },
        ],
        load: () => import('./impact/find-impact.js'),
      },
    ],
    additions: [{ command: 'build', load: () => import('./build-step.js') }],
    apply(hooks) {
      // Claimed so that it is known and watched. It is imported by commands and in development, never in production.
      hooks.discover.tap('prove', (claims) => claims.add('policy', 'policy.*'));

      hooks.serve.tapPromise('prove', async (serving) => {
        const { runtime, project } = serving;
        if (!runtime.reloads || project.mode !== 'development') return;
        const { develop } = await import('./develop.js');
        await develop(serving);
      });
    },
  });
