import { definePlugin, type Generation, type Plugin } from '../../kernel/index.js';

/**
 * Writes the files of a new project: each convention's starter, then the files that belong to no
 * convention.
 */
export function scaffold(): Plugin {
  return definePlugin({
    name: 'scaffold',
    apply(hooks) {
      hooks.generate.tapPromise('scaffold', async (generation) => {
        if (generation.target !== 'scaffold') return;
        const emitted: string[] = [];
        const emit: Generation['emit'] = (output) => {
          emitted.push(output.path);
          generation.emit(output);
        };
        for (const { guide } of generation.plugins.values())
          (await guide?.())?.starter?.({ ...generation, emit });
        (await import('./files.js')).emitFiles(generation, emitted);
      });
    },
  });
}
