import { brand } from '../../../contributions/index.js';
import { coded } from '../../../kernel/index.js';
import type { RuntimeCtx } from '../../../scope/index.js';
import type { Call } from './call.js';
import type { InputOf, OutputOf, Schema } from './schema-types.js';

/** An image that clients may show (MCP 2025-11-25, Icon). */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  /** `48x48`, or `any`. */
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

/** The description that every definition may have. */
export interface Described {
  /** Overrides the name that the path gives. */
  readonly name?: string;
  /** For people. */
  readonly title?: string;
  /** For the model: when to use it, and what it does. */
  readonly description?: string;
  readonly icons?: readonly Icon[];
  /** Scopes that a token must allow; other clients get an error that names them. Needs `mcp/auth`. */
  readonly scopes?: readonly string[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Suggests values, of which at most the first 100 are sent. */
export type Complete<Ctx> = (
  /** The text that has been typed so far. */
  prefix: string,
  ctx: Ctx,
  /** The arguments that have been filled in already. */
  given: Readonly<Record<string, string>>,
) => readonly string[] | Promise<readonly string[]>;

const BRANDS = {
  tool: brand('fwkit.mcp.tool'),
  resource: brand('fwkit.mcp.resource'),
  prompt: brand('fwkit.mcp.prompt'),
  auth: brand('fwkit.mcp.auth'),
} as const;

export type Kind = keyof typeof BRANDS;

/** Mark a definition as what it is. Throws TypeError where its parts are not what they must be. */
export function define<Definition extends object>(
  kind: Kind,
  definition: Definition,
  functions: readonly (keyof Definition & string)[],
): Definition {
  if (typeof definition !== 'object' || definition === null)
    throw coded('FWK511', `${kind}() takes an object`);
  for (const key of functions)
    if (typeof definition[key] !== 'function') throw coded('FWK402', `${kind}() needs a function "${key}"`);
  return Object.freeze(BRANDS[kind].mark({ ...definition }));
}

/** Whether a module's default export is a definition of that kind. */
export const isDefined = (kind: Kind, value: unknown): boolean => BRANDS[kind].has(value);

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

/** One read of a resource. */
export interface ResourceCall extends Call {
  /** The URI that is read, as the client wrote it. */
  readonly uri: string;
}

/** What `resource()` of a file in `mcp/resources/` takes. */
export interface Resource extends Described {
  /** Overrides the URI that the path gives; `{id}`, `{+path}` and `{?query}` are variables (RFC 6570). */
  readonly uri?: string;
  readonly mimeType?: string;
  readonly annotations?: {
    readonly audience?: readonly ('user' | 'assistant')[];
    /** From 0 to 1. */
    readonly priority?: number;
    /** ISO 8601. */
    readonly lastModified?: string;
  };
  /** In bytes. */
  readonly size?: number;
  /** Suggests values of variables: `{ id: (prefix, ctx) => [...] }`. */
  readonly complete?: Readonly<Record<string, Complete<RuntimeCtx>>>;
  /** Lists the resources that a URI with variables stands for. One that is not listed can be read all the same. */
  list?(ctx: RuntimeCtx): readonly ListedResource[] | Promise<readonly ListedResource[]>;
  /**
   * The contents: a string, bytes, or an object, which becomes JSON. `null` and `undefined` mean that there is no such
   * resource. `variables` are strings, decoded.
   */
  handler(variables: Readonly<Record<string, string>>, ctx: RuntimeCtx, call: ResourceCall): unknown;
}

/** One resource of those that a URI with variables stands for. */
export interface ListedResource {
  readonly uri: string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** Define a resource: `export default resource({ description, handler: ({ id }, ctx) => … })` in `mcp/resources/`. */
export function resource(definition: Resource): Resource {
  return define('resource', definition, ['handler']);
}

export const isResource = (value: unknown): value is Resource => isDefined('resource', value);

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
