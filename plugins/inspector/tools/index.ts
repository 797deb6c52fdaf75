import type { Door } from '../caller.js';
import type { Inspector } from '../inspector.js';
import { appTools } from './app.js';
import { pastTools } from './past.js';
import { problemNote } from './texts.js';
import type { InspectorTool } from './tool.js';

/** The most characters of an answer: what is longer fills a model's context. */
const MAX_CHARACTERS = 40_000;

/** The tools by which assistants look at what is served, and `more`. `door`: where they ask the app. */
export function toolsOf(
  inspector: Inspector,
  door: Door,
  more: readonly InspectorTool[] = [],
): InspectorTool[] {
  return [...appTools(inspector), ...pastTools(inspector, door), ...more].map((tool) => ({
    ...tool,
    async run(input) {
      const text = (await tool.run(input)) + (tool.isAboutProject ? problemNote(inspector) : '');
      if (text.length <= MAX_CHARACTERS) return text;
      return `${text.slice(0, MAX_CHARACTERS)}\n… (${text.length - MAX_CHARACTERS} more characters: ask for less)`;
    },
  }));
}
