import { definePlugin, type Plugin } from 'fwkit/plugin';
import { guardTypes } from './policy/guard-names.js';

/** Brings `fwk prove`, `fwk impact` and `fwk reach`. */
export const prove = (): Plugin =>
  definePlugin({
    name: 'prove',
    needs: ['http'],
    types: guardTypes,
    apply(hooks) {
      // Claimed so that it is known and watched. It is imported by commands and in development, never in production.
      hooks.discover.tap('prove', (claims) => claims.add('policy', 'policy.*'));
    },
  });
