import { brand, coded } from '../../../kernel/index.js';

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
    throw coded('FWK511', new TypeError(`${kind}() takes an object`));
  for (const key of functions)
    if (typeof definition[key] !== 'function')
      throw coded('FWK402', new TypeError(`${kind}() needs a function "${key}"`));
  return Object.freeze(BRANDS[kind].mark({ ...definition }));
}

/** Whether a module's default export is a definition of that kind. */
export const isDefined = (kind: Kind, value: unknown): boolean => BRANDS[kind].has(value);
