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
