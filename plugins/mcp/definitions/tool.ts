import type { RuntimeCtx } from '../../../kernel/index.js';
import type { Call } from './call.js';
import { type Described, define, isDefined } from './definition.js';
import type { InputOf, OutputOf, Schema } from './schema-types.js';

/** Hints for clients; not to be relied on for safety (MCP 2025-11-25, ToolAnnotations). */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** The tools of `mcp/tools/`, by the names of their paths, added by the generated types. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface Tools {}

/** What `tool()` of a file in `mcp/tools/` takes. `Name`: the one that overrides that of the path; never where there is none. */
export interface ToolDefinition<Input = never, Output = never, Name extends string = string>
  extends Described {
  readonly name?: Name;
  /** Schema of the arguments, which are checked before the handler runs. Default: the tool takes none. */
  readonly input?: Input;
  /** Schema of what the handler returns: clients get that as structured content, checked. */
  readonly output?: Output;
  readonly annotations?: ToolAnnotations;
  /**
   * Called once per call; under the stateless protocol again for each answer to `call.ask`. A string, an object or an
   * array becomes text, content blocks are passed on as they are. `throw error(4xx, …)` tells the model what is wrong.
   */
  handler(input: InputOf<Input>, ctx: RuntimeCtx, call: Call): OutputOf<Output> | Promise<OutputOf<Output>>;
}

/** A tool as the framework sees it. */
export type Tool = Described & {
  readonly input?: Schema;
  readonly output?: Schema;
  readonly annotations?: ToolAnnotations;
  handler(input: unknown, ctx: RuntimeCtx, call: Call): unknown;
};

/** Define a tool: `export default tool({ description, input, handler: (input, ctx, call) => … })` in `mcp/tools/`. */
export function tool<
  const Input extends Schema = never,
  const Output extends Schema = never,
  const Name extends string = never,
>(definition: ToolDefinition<Input, Output, Name>): ToolDefinition<Input, Output, Name> {
  return define('tool', definition, ['handler']);
}

export const isTool = (value: unknown): value is Tool => isDefined('tool', value);
