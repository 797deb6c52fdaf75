import { definePlugin, type Plugin, Stage } from '../../kernel/index.js';

/** Writes the guidance of all conventions for AI editors. */
export function skills(): Plugin {
  return definePlugin({
    name: 'skills',
    apply(hooks) {
      hooks.generate.tapPromise({ name: 'skills', stage: Stage.finish }, async (generation) => {
        if (generation.target !== 'skills') return;
        const [{ selectedEditors, mcpServers, outputFor }, { guidanceOf }] = await Promise.all([
          import('./editors.js'),
          import('./guidance.js'),
        ]);
        const { flags, project } = generation;
        const guidance = await guidanceOf(generation);
        for (const editor of selectedEditors(flags.ide))
          generation.emit(outputFor(editor, guidance, project.root));
        if (flags.mcp !== true) return;
        for (const output of mcpServers(flags.ide, flags.port)) generation.emit(output);
      });
    },
  });
}
