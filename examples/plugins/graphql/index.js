import { definePlugin, option } from 'fwkit/plugin';

export { resolver, schema } from './definitions.js';

/** @type {typeof import('./index.js').graphql} */
export const graphql = () =>
  definePlugin({
    name: 'graphql',
    needs: ['http'],
    options: { maxTokens: option.integer(10_000, { min: 1, unit: 'tokens' }) },
    optionsType: "import('fwk-graphql').GraphqlOptions",
    guide: () => import('./guide.js'),
    apply(hooks, { maxTokens }) {
      hooks.discover.tap('graphql', (claims) => claims.add('graphql', 'graphql/**'));

      hooks.resolve.tapPromise('graphql', async (routes, project) => {
        if (project.files('graphql').length === 0) return routes;
        // GraphQL is only loaded if the project has files for it.
        const { endpoint } = await import('./endpoint.js');
        const loaded = await (await import('./schema.js')).loadSchema(project);
        return loaded ? [...routes, ...endpoint(loaded, project, maxTokens)] : routes;
      });
    },
  });
