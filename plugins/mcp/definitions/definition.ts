import { brand } from '../../../contributions/index.js';
import { coded } from '../../../kernel/index.js';
import type { RuntimeCtx } from '../../../scope/index.js';
import type { ToolAnnotations, ToolView } from '../../http/internal.js';
import type { Call, Identity } from './call.js';
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
  /** Overrides the name derived from the path. */
  readonly name?: string;
  /** The name that people see. */
  readonly title?: string;
  /** Describes to the model what it does and when to use it. */
  readonly description?: string;
  readonly icons?: readonly Icon[];
  /** Scopes that a token must include; other clients get an error that lists them. Requires `mcp/auth`. */
  readonly scopes?: readonly string[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Suggests values. At most the first 100 are sent. */
export type Complete<Ctx> = (
  /** The text typed so far. */
  prefix: string,
  ctx: Ctx,
  /** The arguments that are already filled in. */
  given: Readonly<Record<string, string>>,
) => readonly string[] | Promise<readonly string[]>;

const BRANDS = {
  tool: brand('fwkit.mcp.tool'),
  resource: brand('fwkit.mcp.resource'),
  prompt: brand('fwkit.mcp.prompt'),
  auth: brand('fwkit.mcp.auth'),
} as const;

export type Kind = keyof typeof BRANDS;

/** The members of every definition. */
const DESCRIBED: (keyof Described)[] = ['name', 'title', 'description', 'icons', 'scopes', '_meta'];

/** Mark a definition with its kind. `required` is a function. Throws TypeError for a member that is missing or unknown. */
export function define<Definition extends object>(
  kind: Kind,
  definition: Definition,
  required: keyof Definition & string,
  optional: readonly (keyof Definition & string)[],
): Definition {
  if (typeof definition !== 'object' || definition === null)
    throw coded('FWK511', `${kind}() takes an object`);
  if (typeof definition[required] !== 'function')
    throw coded('FWK402', `${kind}() needs a function "${required}"`);
  const known: readonly string[] = [required, ...optional];
  const unknown = Object.keys(definition).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw coded('FWK511', `${kind}() has an unknown key "${unknown}": it takes ${known.join(', ')}`);
  return Object.freeze(BRANDS[kind].mark({ ...definition }));
}

/** Whether a module's default export is a definition of that kind. */
export const isDefined = (kind: Kind, value: unknown): boolean => BRANDS[kind].has(value);

/** The tools in `mcp/tools/`, by the name derived from their path. The generated types add the members. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface Tools {}

/**
 * The definition that `tool()` takes, in a file in `mcp/tools/`. `Name` is the name that overrides
 * the one derived from the path; `never` if there is no override.
 */
export interface ToolDefinition<Input = never, Output = never, Name extends string = string>
  extends Described {
  readonly name?: Name;
  /** Schema of the arguments, checked before the handler runs. Default: the tool takes no arguments. */
  readonly input?: Input;
  /** Schema of the handler's return value, which is checked and sent to clients as structured content. */
  readonly output?: Output;
  readonly annotations?: ToolAnnotations;
  /** The template `views/<name>` that hosts show beside the answer, rendered with the result of the handler. */
  readonly view?: ToolView;
  /**
   * Called once per call; in the stateless protocol, called again for each answer to `call.ask`. A
   * string, an object or an array becomes text; content blocks are passed on unchanged. Use `throw
   * error(4xx, …)` to report a problem to the model.
   */
  handler(input: InputOf<Input>, ctx: RuntimeCtx, call: Call): OutputOf<Output> | Promise<OutputOf<Output>>;
}

/** A tool in the form that fwk uses internally. */
export type Tool = Omit<ToolDefinition<Schema, Schema>, 'handler'> & {
  handler(input: unknown, ctx: RuntimeCtx, call: Call): unknown;
};

/** Define a tool: `export default tool({ description, input, handler: (input, ctx, call) => … })` in `mcp/tools/`. */
export function tool<
  const Input extends Schema = never,
  const Output extends Schema = never,
  const Name extends string = never,
>(definition: ToolDefinition<Input, Output, Name>): ToolDefinition<Input, Output, Name> {
  return define('tool', definition, 'handler', [...DESCRIBED, 'input', 'output', 'annotations', 'view']);
}

/** One read of a resource. */
export interface ResourceCall extends Call {
  /** The requested URI, exactly as the client sent it. */
  readonly uri: string;
}

/** The definition that `resource()` takes, in a file in `mcp/resources/`. */
export interface Resource extends Described {
  /** Overrides the URI derived from the path; `{id}`, `{+path}` and `{?query}` are variables (RFC 6570). */
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
  /** Lists the resources that match a URI with variables. Resources that are not listed can still be read. */
  list?(ctx: RuntimeCtx): readonly ListedResource[] | Promise<readonly ListedResource[]>;
  /**
   * Returns the contents: a string, bytes, or an object, which is sent as JSON. `null` and
   * `undefined` mean that the resource does not exist. `variables` are decoded strings.
   */
  handler(variables: Readonly<Record<string, string>>, ctx: RuntimeCtx, call: ResourceCall): unknown;
}

/** One of the resources that match a URI with variables. */
export interface ListedResource {
  readonly uri: string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** Define a resource: `export default resource({ description, handler: ({ id }, ctx) => … })` in `mcp/resources/`. */
export function resource(definition: Resource): Resource {
  const own: (keyof Resource)[] = ['uri', 'mimeType', 'annotations', 'size', 'complete', 'list'];
  return define('resource', definition, 'handler', [...DESCRIBED, ...own]);
}

/** The definition that `prompt()` takes, in a file in `mcp/prompts/`. */
export interface PromptDefinition<Input = never> extends Described {
  /** Schema of the arguments. Clients send strings: an argument that accepts none is a boot error. */
  readonly input?: Input;
  /** Suggests values of arguments: `{ language: (prefix, ctx) => [...] }`. */
  readonly complete?: Readonly<Record<string, Complete<RuntimeCtx>>>;
  /** Returns the messages: strings become user messages; `{ role, content }` and blocks are unchanged. */
  handler(input: InputOf<Input>, ctx: RuntimeCtx, call: Call): unknown;
}

/** A prompt in the form that fwk uses internally. */
export type Prompt = Omit<PromptDefinition<Schema>, 'handler'> & {
  handler(input: unknown, ctx: RuntimeCtx, call: Call): unknown;
};

/** Define a prompt: `export default prompt({ description, input, handler: (input, ctx) => … })` in `mcp/prompts/`. */
export function prompt<const Input extends Schema = never>(
  definition: PromptDefinition<Input>,
): PromptDefinition<Input> {
  return define('prompt', definition, 'handler', [...DESCRIBED, 'input', 'complete']);
}

/** The definition that `auth()` in `mcp/auth` takes: who may use the endpoint. */
export interface Auth {
  /**
   * Token issuers: the URLs of the authorization servers (RFC 9728 §2). Without `servers`, the app
   * issues its own tokens, such as API keys: users configure them in their clients by hand, and a
   * 401 response does not point to an authorization server.
   */
  readonly servers?: readonly string[];
  /** The scopes that every token must include. */
  readonly scopes?: readonly string[];
  /**
   * The URL of the endpoint as clients know it. Default: `https://<name>/mcp`, where `<name>` is
   * the requested name if it is in `mcp.hosts`, or in production the first of `mcp.hosts`; if
   * `mcp.hosts` is empty, the address that the server listens on.
   */
  readonly resource?: string;
  /**
   * Returns the user of a token, or nothing if the token is invalid; use `throw error(401, …)` to
   * give the reason. Called for every request. `resource` is the URL that the token must have been
   * issued for: compare it with the token's audience (RFC 8707 §2).
   */
  verify(
    token: string,
    ctx: RuntimeCtx,
    about: { readonly resource: string },
  ): Identity | null | undefined | Promise<Identity | null | undefined>;
}

/**
 * Require a token: `export default auth({ verify })` in `mcp/auth`. With `servers`, the endpoint
 * becomes an OAuth resource server.
 */
export function auth(definition: Auth): Auth {
  return define('auth', definition, 'verify', ['servers', 'scopes', 'resource']);
}

/** The mistakes in a definition, one sentence each. */
export function authMistakes({ servers, scopes = [], resource }: Auth): string[] {
  const mistakes: string[] = [];
  const areIssuers = Array.isArray(servers) && servers.length > 0 && servers.every(isIssuer);
  if (servers !== undefined && !areIssuers)
    mistakes.push(
      `has servers ${JSON.stringify(servers)}. Give the https URL of at least one authorization server, or omit servers if the app issues its own tokens.`,
    );
  if (!isScopes(scopes))
    mistakes.push(`has scopes ${JSON.stringify(scopes)}. Give a list of names without spaces.`);
  if (resource !== undefined && !URL.canParse(resource))
    mistakes.push(`has resource ${JSON.stringify(resource)}. Give the full URL of the endpoint, or omit it.`);
  return mistakes;
}

/** Whether these are valid scope names in OAuth (RFC 6749 §3.3). */
export const isScopes = (scopes: unknown): scopes is readonly string[] =>
  Array.isArray(scopes) &&
  scopes.every((scope) => typeof scope === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));

/** Whether this server's tokens can be trusted: over TLS, or on this machine, nobody forges them. */
function isIssuer(server: unknown): boolean {
  if (typeof server !== 'string' || !URL.canParse(server)) return false;
  const { protocol, hostname } = new URL(server);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
