import type { AppAddress } from '../caller.js';
import type { Inspector } from '../inspector.js';
import { appTools } from './app.js';
import { pastTools, versionNotes } from './requests.js';
import { addedTools, type InspectorTool } from './tool.js';

/** Maximum length of an answer, in characters: a longer one would fill a model's context window. */
const MAX_CHARACTERS = 40_000;

/** A tool as it is served: its answer, with notes on the version that the answer is about. */
export interface AnsweringTool extends Omit<InspectorTool, 'run'> {
  run(input: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
}

/** The tools for coding assistants, and `more`. `door`: the address at which they send requests. */
export async function toolsOf(
  inspector: Inspector,
  door: AppAddress,
  more: readonly InspectorTool[] = [],
): Promise<AnsweringTool[]> {
  // Tools that plugins add belong to the version of the last save.
  while (inspector.runtime.reloading) await inspector.runtime.reloading;
  const own = [...appTools(inspector), ...pastTools(inspector, door), ...more];
  const taken = new Set(own.map(({ name }) => name));
  const added = addedTools(inspector.version?.project).filter(
    ({ name }) => !taken.has(name) && taken.add(name),
  );
  return [...own, ...added].map((tool) => ({
    ...tool,
    async run(input) {
      const notes = tool.isAboutProject ? versionNotes(inspector) : [];
      const text = await tool.run(input);
      const rest = text.length - MAX_CHARACTERS;
      const shown =
        rest > 0 ? `${text.slice(0, MAX_CHARACTERS)}\n… (${rest} more characters: ask for less)` : text;
      return [shown, ...notes];
    },
  }));
}
