import { definePlugin, type Output, type Plugin } from '../../kernel/index.js';

/** Writes the files of a new project: the starter of each convention, and then the other files. */
export function scaffold(): Plugin {
  return definePlugin({
    name: 'scaffold',
    apply(hooks) {
      hooks.generate.tapPromise('scaffold', async (generation) => {
        if (generation.target !== 'scaffold') return;
        const starters: Output[] = [];
        const emit = (output: Output): void => void starters.push(output);
        for (const { guide } of generation.plugins.values())
          (await guide?.())?.starter?.({ ...generation, emit });
        const { emitFiles, hasRoutes } = await import('./files.js');
        // Starter routes would take URLs of a project that already answers requests.
        const wanted = hasRoutes(generation, starters) ? starters.filter(isEmpty) : starters;
        for (const output of wanted) generation.emit(output);
        emitFiles(
          generation,
          wanted.map(({ path }) => path),
        );
      });
    },
  });
}

/** Whether the output is the placeholder of an empty directory. */
const isEmpty = ({ contents }: Output): boolean => contents === '';
