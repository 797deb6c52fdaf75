import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { configFile } from '../../harness/source.js';

/** A TCP server that echoes each text with `!` and counts connections. */
export interface Line {
  readonly port: number;
  readonly connections: number;
  /** The texts that were asked, in their order; `end` where a connection ended. */
  readonly heard: readonly string[];
  /** Resolves with the function that answers the next `wait`. */
  waiting(): Promise<() => void>;
  /** Resolves when every connection has ended. */
  ended(): Promise<void>;
  close(): void;
}

export async function line(): Promise<Line> {
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let note: (answer: () => void) => void = () => {};
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const text = String(data);
      heard.push(text);
      const answer = () => void socket.write(`${text}!`);
      if (text === 'wait') note(answer);
      else answer();
    });
    socket.once('end', () => heard.push('end'));
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    heard,
    waiting: () => new Promise((resolve) => (note = resolve)),
    async ended() {
      await Promise.all([...sockets].map((socket) => once(socket, 'close')));
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A plugin that provides a connection to such a server as `ctx.<key>`: opened when it is served, ended last of all. */
export const lineModule = (port: number, key = 'line'): string => `
import { once } from 'node:events';
import { connect } from 'node:net';
import { definePlugin, provide, Stage } from 'fwkit/plugin';

let socket;
const make = ({ onDestroy }) => {
  console.log('[make]');
  onDestroy(() => console.log('[destroy]'));
  return {
    async ask(word) {
      socket.write(word);
      const [answer] = await once(socket, 'data');
      return String(answer);
    },
  };
};

export const line = () =>
  definePlugin({
    name: 'line',
    provides: () => ({ ${key}: '{ ask(word: string): Promise<string> }' }),
    apply(hooks) {
      hooks.resolve.tapPromise({ name: 'line', stage: Stage.connect }, async (routes, project) => {
        provide(project, '${key}', make);
        return routes;
      });
      hooks.serve.tapPromise({ name: 'line', stage: Stage.connect }, async ({ runtime, project, onStart }) => {
        if (project.overrides.has('${key}')) return;
        // An edit of this module creates a new variable, but no new connection.
        socket = await runtime.getOrCreate('line.socket', async () => {
          const opened = connect(${port}, 'localhost');
          await once(opened, 'connect');
          // Registered last, so it runs before the server waits for responses.
          onStart(() => runtime.onClose(() => console.log('[stopping]')));
          runtime.onEnd(() => new Promise((resolve) => opened.end(resolve)));
          return opened;
        });
      });
    },
  });
`;

/** A config with plugins: `configWith("import { line } from './line.js'", 'line()')`. */
export const configWith = (imports: string, plugins: string): string =>
  `${imports};\n${configFile(`{ plugins: [${plugins}] }`)}`;
