import type { Door } from '../caller.js';
import type { Inspector } from '../inspector.js';
import { appTools } from './app.js';
import { pastTools, versionNotes } from './requests.js';
import { addedTools, type InspectorTool } from './tool.js';

/** The most characters of an answer: what is longer fills a model's context. */
const MAX_CHARACTERS = 40_000;

/** A tool as it is served: its answer, and what is to be known of the version that it is about. */
export interface AnsweringTool extends Omit<InspectorTool, 'run'> {
  run(input: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
}

/** The tools by which assistants look at what is served, and `more`. `door`: where they ask the app. */
export async function toolsOf(
  inspector: Inspector,
  door: Door,
  more: readonly InspectorTool[] = [],
): Promise<AnsweringTool[]> {
  // Those that plugins add are of the version with the last save.
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
