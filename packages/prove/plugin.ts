import { definePlugin, type Plugin } from 'fwkit/plugin';

/** Brings `fwk prove`, `fwk impact` and `fwk reach`. */
export const prove = (): Plugin =>
  definePlugin({
    name: 'prove',
    apply() {},
  });
