/**
 * The load: connections with a session each (or none, in the stateless protocol) that call a tool, await its answer and
 * call again. As in client.js, an answer is read once, and from then on bytes are counted.
 */
import { once } from 'node:events';
import { createConnection } from 'node:net';

const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'add', arguments: { a: 2, b: 3 } },
};
const STATELESS = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

process.on('message', async ({ port, stateless, connections, seconds }) => {
  const texts = await Promise.all(
    Array.from({ length: connections }, async () =>
      Buffer.from(stateless ? statelessCall() : await sessionCall(port)),
    ),
  );
  const first = await exchange(port, texts[0]);
  if (!first.includes('"text":"5"')) throw new Error(`port ${port} answered ${first}`);
  process.send(await load({ port, texts, size: first.length, seconds }));
});
process.on('disconnect', () => process.exit(0));

const HEAD =
  'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n';

function post(body, headers) {
  const text = JSON.stringify(body);
  return `${HEAD}${headers}content-length: ${text.length}\r\n\r\n${text}`;
}

const statelessCall = () =>
  post(
    { ...CALL, params: { ...CALL.params, _meta: STATELESS } },
    'mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: add\r\n',
  );

async function sessionCall(port) {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  };
  const begun = await exchange(port, post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, ''));
  const [, id] = /mcp-session-id: (\S+)/i.exec(begun) ?? [];
  const headers = `mcp-session-id: ${id}\r\nmcp-protocol-version: 2025-11-25\r\n`;
  await exchange(port, post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers));
  return post(CALL, headers);
}

/** One request on a connection of its own; the whole response. */
async function exchange(port, request) {
  const socket = createConnection(port, '127.0.0.1');
  socket.write(request);
  let response = '';
  while (!isWhole(response)) {
    const [chunk] = await once(socket, 'data');
    response += chunk.toString('latin1');
  }
  socket.destroy();
  return response;
}

function isWhole(response) {
  const end = response.indexOf('\r\n\r\n');
  if (end === -1) return false;
  if (/\r\ntransfer-encoding: chunked/i.test(response.slice(0, end)))
    return response.endsWith('\r\n0\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(response.slice(0, end))?.[1] ?? 0;
  return response.length === end + 4 + Number(length);
}

function load({ port, texts, size, seconds }) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    let stopped = false;
    let open = texts.length;
    let done = 0;
    setTimeout(() => {
      stopped = true;
    }, seconds * 1000);
    for (const text of texts) {
      let missing = size;
      const received = (count) => {
        missing -= count;
        if (missing > 0) return;
        if (missing < 0) return reject(new Error(`port ${port} sent more than one response`));
        done += 1;
        missing = size;
        if (!stopped) return socket.write(text);
        socket.destroy();
        open -= 1;
        if (open === 0) resolve({ done, elapsed: (performance.now() - start) / 1000 });
      };
      const onread = { buffer: Buffer.allocUnsafe(16_384), callback: received };
      const socket = createConnection({ port, host: '127.0.0.1', noDelay: true, onread });
      socket.on('error', reject);
      socket.on('end', () => reject(new Error(`port ${port} closed a connection`)));
      socket.once('connect', () => socket.write(text));
    }
  });
}
