import { type Project, slotKey } from '../../../kernel/index.js';

const TOOLS = slotKey<InspectorTool[]>('inspector.tools');

type Input = Readonly<Record<string, unknown>>;

/** A tool of `/_fwk/mcp`, for coding assistants. */
export interface InspectorTool {
  /** One word, like the names of the built-in tools. */
  readonly name: string;
  readonly title: string;
  /** Describes to the model what the tool returns and when to call it. */
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Whether calling it changes nothing. */
  readonly isReadOnly: boolean;
  /** Whether the answer is about the serving version: it waits for a reload, and names the version. */
  readonly isAboutProject: boolean;
  /** Returns the text that the model reads. If it throws, the model receives the error message. */
  run(input: Input): Promise<string> | string;
}

export const objectSchema = (
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = [],
): InspectorTool['inputSchema'] => ({ type: 'object', properties, required, additionalProperties: false });

/** A text input; '' if it is missing. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const toolsIn = (project: Project): InspectorTool[] => project.slot(TOOLS, () => []);

/** Add `tool` to `/_fwk/mcp` for this version, in a `serve` tap. A tool with a taken name is ignored. */
export const addInspectorTool = (project: Project, tool: InspectorTool): void =>
  void toolsIn(project).push(tool);

/** The tools that plugins have added to the serving version. */
export const addedTools = (project: Project | undefined): readonly InspectorTool[] =>
  project ? toolsIn(project) : [];
