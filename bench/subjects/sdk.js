/**
 * The baseline for MCP: the official SDK as in its examples, with a server and a transport for each session, over
 * node:http. By default, it responds with event streams.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as z from 'zod';

export const serve = (options) => (port, host) => {
  const transports = new Map();

  async function begin() {
    const transport = new StreamableHTTPServerTransport({
      ...options,
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    await createMcp().connect(transport);
    return transport;
  }

  createServer(async (req, res) => {
    const known = transports.get(req.headers['mcp-session-id']);
    await (known ?? (await begin())).handleRequest(req, res);
  }).listen(port, host);
};

function createMcp() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool(
    'add',
    { description: 'Adds two numbers.', inputSchema: { a: z.number(), b: z.number() } },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );
  return server;
}

export const mcp = serve({});
