import type { RuntimeCtx } from '../../../kernel/index.js';
import type { Call } from './call.js';
import { type Complete, type Described, define, isDefined } from './definition.js';
import type { InputOf, Schema } from './schema-types.js';

/** What `prompt()` of a file in `mcp/prompts/` takes. */
export interface PromptDefinition<Input = never> extends Described {
  /** Schema of the arguments. Clients send strings only: an argument that takes no string is a boot error. */
  readonly input?: Input;
  /** Suggests values of arguments: `{ language: (prefix, ctx) => [...] }`. */
  readonly complete?: Readonly<Record<string, Complete<RuntimeCtx>>>;
  /** The messages: a string is one of the user's; messages `{ role, content }` and content blocks are passed on. */
  handler(input: InputOf<Input>, ctx: RuntimeCtx, call: Call): unknown;
}

/** A prompt as the framework sees it. */
export type Prompt = Described & {
  readonly input?: Schema;
  readonly complete?: Readonly<Record<string, Complete<RuntimeCtx>>>;
  handler(input: unknown, ctx: RuntimeCtx, call: Call): unknown;
};

/** Define a prompt: `export default prompt({ description, input, handler: (input, ctx) => … })` in `mcp/prompts/`. */
export function prompt<const Input extends Schema = never>(
  definition: PromptDefinition<Input>,
): PromptDefinition<Input> {
  return define('prompt', definition, ['handler']);
}

export const isPrompt = (value: unknown): value is Prompt => isDefined('prompt', value);
