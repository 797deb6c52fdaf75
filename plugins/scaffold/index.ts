import { definePlugin, type Plugin } from '../../kernel/index.js';

/** What a new project has beside what the conventions bring along themselves. */
export function scaffold(): Plugin {
  return definePlugin({
    name: 'scaffold',
    apply(hooks) {
      hooks.generate.tapPromise('scaffold', async (generation) => {
        if (generation.target === 'scaffold') (await import('./files.js')).emitFiles(generation);
      });
    },
  });
}
