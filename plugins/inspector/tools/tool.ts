import { type Project, slotKey } from '../../../kernel/index.js';

const TOOLS = slotKey<InspectorTool[]>('inspector.tools');

type Input = Readonly<Record<string, unknown>>;

/** A tool of `/_fwk/mcp`, for assistants. */
export interface InspectorTool {
  /** One word, as those of the built-in tools. */
  readonly name: string;
  readonly title: string;
  /** For the model: what it says, and when to call it. */
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Whether calling it changes nothing. */
  readonly isReadOnly: boolean;
  /** Whether what it says depends on the version that serves: then it waits for a save that is under way, and names its version. */
  readonly isAboutProject: boolean;
  /** Gives what the model reads. What it throws is told to the model, as its message. */
  run(input: Input): Promise<string> | string;
}

export const input = (
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = [],
): InspectorTool['inputSchema'] => ({ type: 'object', properties, required, additionalProperties: false });

/** A text of an input; '' where it is not given. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const toolsIn = (project: Project): InspectorTool[] => project.slot(TOOLS, () => []);

/**
 * Have assistants call `tool` at `/_fwk/mcp`, where `fwk dev` serves this version of the project. Call it in a tap of `serve`. One of
 * a name that is taken is left out.
 */
export const addInspectorTool = (project: Project, tool: InspectorTool): void =>
  void toolsIn(project).push(tool);

/** The tools that plugins have added to the version that serves. */
export const addedTools = (project: Project | undefined): readonly InspectorTool[] =>
  project ? toolsIn(project) : [];
