import { definePlugin, type Plugin, Stage } from '../../kernel/index.js';
import { httpRoute } from '../../plugins/http/index.js';

/** Before every stage that plugins use. */
const FIRST = -1_000_000;

/** A route of another plugin, which the tested plugin must neither lose nor change. No app serves it. */
export const witness = (): Plugin =>
  definePlugin({
    name: 'fwkit-testing',
    apply(hooks) {
      hooks.resolve.tapPromise({ name: 'fwkit-testing', stage: FIRST }, async (routes) => [
        ...routes,
        httpRoute({
          kind: 'fwkit-testing',
          file: 'plugin "fwkit-testing"',
          method: 'GET',
          path: '/fwkit-testing',
          meta: {},
          handler: () => null,
        }),
      ]);
      hooks.resolve.tapPromise({ name: 'fwkit-testing:end', stage: Stage.last - 1 }, async (routes) =>
        routes.filter(({ kind }) => kind !== 'fwkit-testing'),
      );
    },
  });
