// A server that only has tools and stores nothing about its clients, for tools that belong to no project.
import type { JsonSchema } from '../definitions/schema-types.js';
import { compileJsonSchema } from './json-schema.js';

export interface ServedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Whether calling it changes nothing. */
  readonly isReadOnly: boolean;
  /** Returns one or more texts for the model. If it throws, the model receives the error message. */
  run(input: Readonly<Record<string, unknown>>): Promise<string | readonly string[]>;
}

export interface ToolServerInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** Explains to the model how to use the tools. */
  readonly instructions: string;
}

/** Returns a function that answers each request alone, of both protocols. Loads the SDK. */
export async function openToolServer(
  { instructions, ...info }: ToolServerInfo,
  tools: readonly ServedTool[],
): Promise<(request: Request, body: unknown) => Promise<Response>> {
  const sdk = await import('@modelcontextprotocol/server');
  const listed = tools.map(({ name, title, description, inputSchema, isReadOnly }) => ({
    name,
    title,
    description,
    inputSchema: { ...inputSchema, type: 'object' as const },
    annotations: { readOnlyHint: isReadOnly, openWorldHint: false },
  }));
  const resultOf = (texts: string | readonly string[], isError = false) => ({
    content: [texts].flat().map((text) => ({ type: 'text' as const, text })),
    isError,
  });
  const handler = sdk.createMcpHandler(() => {
    const server = new sdk.Server(info, { capabilities: { tools: {} }, instructions });
    server.setRequestHandler('tools/list', () => ({ tools: listed }));
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }) => {
      const tool = tools.find((one) => one.name === name);
      if (!tool)
        return resultOf(
          `There is no tool "${name}". The tools are: ${tools.map((one) => one.name).join(', ')}.`,
          true,
        );
      const check = await compileJsonSchema(tool.inputSchema);
      const { issues } = check(given);
      if (issues)
        return resultOf(
          `The input of "${name}" is invalid: ${issues.map(({ message }) => message).join('; ')}.`,
          true,
        );
      try {
        return resultOf(await tool.run(given));
      } catch (thrown) {
        return resultOf(thrown instanceof Error ? thrown.message : String(thrown), true);
      }
    });
    return server;
  });
  return (request, parsedBody) => handler.fetch(request, { parsedBody });
}
