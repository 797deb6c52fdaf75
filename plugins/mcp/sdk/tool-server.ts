// A server that only has tools and stores nothing about its clients, for tools that belong to no project.
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
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
  const registered = await Promise.all(
    tools.map(async (tool) => ({ ...tool, inputSchema: await standardSchema(tool.inputSchema) })),
  );
  const handler = sdk.createMcpHandler(() => {
    const server = new sdk.McpServer(info, { instructions });
    for (const { name, title, description, inputSchema, isReadOnly, run } of registered) {
      const annotations = { readOnlyHint: isReadOnly, openWorldHint: false };
      server.registerTool(name, { title, description, inputSchema, annotations }, async (input) => ({
        content: [await run(input)].flat().map((text) => ({ type: 'text', text })),
      }));
    }
    return server;
  });
  return (request, parsedBody) => handler.fetch(request, { parsedBody });
}

/** A JSON Schema for the SDK, with the messages of `compileJsonSchema`. */
async function standardSchema(
  json: JsonSchema,
): Promise<StandardSchemaWithJSON<Readonly<Record<string, unknown>>>> {
  const check = await compileJsonSchema(json);
  const jsonSchema = { input: () => ({ ...json }), output: () => ({ ...json }) };
  const validate = check as (value: unknown) => { value: Readonly<Record<string, unknown>> };
  return { '~standard': { version: 1, vendor: 'fwkit', validate, jsonSchema } };
}
