import { definePlugin, type Plugin, Stage } from '../../kernel/index.js';

/** Writes the guidance of all conventions for AI editors. */
export function skills(): Plugin {
  return definePlugin({
    name: 'skills',
    apply(hooks) {
      hooks.generate.tapPromise({ name: 'skills', stage: Stage.finish }, async (generation) => {
        if (generation.target !== 'skills') return;
        const [{ chosen, mcpServers, outputFor }, { compose, indexText }] = await Promise.all([
          import('./editors.js'),
          import('./guidance.js'),
        ]);
        const [whole, index] = await Promise.all([compose(generation), indexText(generation)]);
        for (const editor of chosen(generation.flags.ide))
          generation.emit(outputFor(editor, { whole, index }, generation.project.root));
        if (generation.flags.mcp !== true) return;
        for (const output of mcpServers(generation.flags.ide, generation.flags.port)) generation.emit(output);
      });
    },
  });
}
