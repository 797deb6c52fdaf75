/**
 * MCP over HTTP: connections that call a tool, each in its own session or, with the stateless protocol, without a
 * session.
 */
import { openConnections } from '../lib/connections.js';
import { exchange } from '../lib/exchange.js';

const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'add', arguments: { a: 2, b: 3 } },
};
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Returns the tool's result, which the server sends as JSON or as an event. */
export async function sample(server, scenario) {
  const { status, body } = await exchange(server.port, await call(server, scenario));
  if (status !== 200) throw new Error(`${server.subject} responds with ${status}: ${body}`);
  return JSON.parse(/^data: (\{.*)$/m.exec(body)?.[1] ?? body).result.content;
}

export async function open(server, scenario, connections) {
  const texts = await Promise.all(Array.from({ length: connections }, () => call(server, scenario)));
  const { size } = await exchange(server.port, texts[0]);
  const queues = texts.map((text) => [{ text: Buffer.from(text), size }]);
  return openConnections(server.port, queues, 200);
}

const call = ({ port, subject }, { stateless }) =>
  stateless.includes(subject) ? statelessCall() : sessionCall(port);

const statelessCall = () =>
  post(
    { ...CALL, params: { ...CALL.params, _meta: META } },
    'mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: add\r\n',
  );

async function sessionCall(port) {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  };
  const begun = await exchange(port, post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  const session = `mcp-session-id: ${begun.headers['mcp-session-id']}\r\nmcp-protocol-version: 2025-11-25\r\n`;
  await exchange(port, post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session));
  return post(CALL, session);
}

function post(body, headers = '') {
  const text = JSON.stringify(body);
  return (
    'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n' +
    `accept: application/json, text/event-stream\r\n${headers}content-length: ${text.length}\r\n\r\n${text}`
  );
}
