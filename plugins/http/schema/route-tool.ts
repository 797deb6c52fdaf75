/** What MCP clients see of a route that is a tool. */
export interface RouteTool {
  /** Overrides the name that method and path give: 1 to 128 letters, digits, `_`, `-` and `.`. */
  readonly name?: string;
  /** For people. Default: the title of the route. */
  readonly title?: string;
  /** For the model: when to use it, and what it does. Default: the description of the route. */
  readonly description?: string;
  /** Hints for clients (MCP 2025-11-25, ToolAnnotations). Default: those of the method. */
  readonly annotations?: {
    readonly title?: string;
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  /** Scopes that a token must allow. Needs `mcp/auth`. */
  readonly scopes?: readonly string[];
}

interface Defined {
  readonly tool?: true | RouteTool;
  readonly title?: string;
  readonly description?: string;
}

/** The tool that a definition makes of its route, as data; undefined where it makes none. */
export function toolOf({ tool, title, description }: Defined): RouteTool | undefined {
  if (tool === undefined) return undefined;
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(tool === true ? {} : tool),
  };
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ANNOTATIONS: ReadonlyMap<string, Check> = new Map([
  ['title', isText],
  ['readOnlyHint', isFlag],
  ['destructiveHint', isFlag],
  ['idempotentHint', isFlag],
  ['openWorldHint', isFlag],
]);

const MEMBERS: ReadonlyMap<string, Check> = new Map([
  ['name', isText],
  ['title', isText],
  ['description', isText],
  ['annotations', (value) => isObject(value) && mistakenKey(value, ANNOTATIONS) === undefined],
  ['scopes', (value) => Array.isArray(value) && value.every(isText)],
]);

/** The key of a `tool` that is unknown or has the wrong value; '' where the whole is wrong, undefined where nothing is. */
export function toolMistake(tool: unknown): string | undefined {
  if (tool === true) return undefined;
  return isObject(tool) ? mistakenKey(tool, MEMBERS) : '';
}

const mistakenKey = (value: object, members: ReadonlyMap<string, Check>): string | undefined =>
  Object.entries(value).find(([key, one]) => one !== undefined && !members.get(key)?.(one))?.[0];
