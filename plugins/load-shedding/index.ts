import cluster from 'node:cluster';
import { channel } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { option } from '../../contributions/index.js';
import { definePlugin, type Logger, type Plugin, Stage } from '../../kernel/index.js';
import { logSafely } from '../../scope/index.js';
import { HttpProblem, httpTransportOf, serverOf } from '../http/index.js';
import { healthPaths } from '../http/internal.js';
import { Load, type LoadEvents } from './load.js';

/** A request was rejected because the process is overloaded. */
const SHED = channel('fwk.request.shed');

export const loadSheddingOptions = {
  /** How long a request may wait for the event loop, in milliseconds, before requests are rejected with 503. 0: no limit. */
  maxDelay: option.integer(3_000, { unit: 'milliseconds' }),
  /** The share of the heap, or of the container's memory, that may be in use before requests are rejected with 503. 0: no limit. */
  maxMemory: option.custom<number>(
    0.95,
    'a number from 0 to below 1, such as 0.95',
    (value): value is number => typeof value === 'number' && value >= 0 && value < 1,
  ),
};

/** Rejects a part of the requests with 503 while the process is overloaded, so that the others are answered in time. */
export function loadShedding(): Plugin {
  return definePlugin({
    name: 'load-shedding',
    needs: ['http'],
    options: loadSheddingOptions,
    apply(hooks, limits) {
      hooks.serve.tapPromise(
        { name: 'load-shedding', stage: Stage.finish },
        async ({ runtime, project, onClose }) => {
          // In development, a slow request is more useful than a rejected one.
          if (!httpTransportOf(runtime) || project.mode !== 'production') return;
          if (limits.maxDelay === 0 && limits.maxMemory === 0) return;
          const server = await serverOf(runtime);
          const kept = healthPaths(project);
          const probe = () => ask(server.node.address(), [...kept][0]);
          let rejected = 0;
          const events: LoadEvents = {
            begin(cause) {
              rejected = 0;
              log(project.logger, `Overloaded: ${cause}. A part of the requests is rejected with 503.`);
              server.rejectWith((raw) => {
                if (Math.random() >= load.share || kept.has(pathOf(raw.url))) return undefined;
                rejected += 1;
                if (SHED.hasSubscribers) SHED.publish({ raw });
                return OVERLOADED[rejected % OVERLOADED.length];
              });
            },
            end() {
              server.rejectWith(undefined);
              log(project.logger, `No longer overloaded. Rejected requests: ${rejected}.`);
            },
          };
          const load = new Load(limits, events, probe);
          onClose(() => load.stop());
        },
      );
    },
  });
}

/** Send a health check to this server. Resolves when it has been answered or has failed. */
const ask = (at: ReturnType<Server['address']>, path: string | undefined): Promise<void> =>
  new Promise((resolve) => {
    // In a worker, the connection might be given to another worker.
    if (cluster.isWorker || path === undefined || at === null || typeof at === 'string') return resolve();
    const host = LOOPBACK[at.address] ?? at.address;
    // Without `node:http`, because tracing would record each of these requests.
    const socket = connect({ host, port: at.port, timeout: PROBE_LIMIT_MS }).unref();
    socket.once('close', () => resolve()).on('error', () => {});
    for (const event of ['data', 'timeout']) socket.once(event, () => socket.destroy());
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  });

const PROBE_LIMIT_MS = 10_000;

const LOOPBACK: Readonly<Record<string, string>> = { '::': '::1', '0.0.0.0': '127.0.0.1' };

const log = (logger: Logger, text: string): void => logSafely(logger, 'warn', text);

const pathOf = (url = ''): string => url.split('?', 1)[0] ?? '';

/** With different times, so that clients that wait for `Retry-After` don't all come back at once. */
const OVERLOADED = [1, 2, 3, 4, 5].map(
  (seconds) =>
    new HttpProblem(503, 'The server is overloaded', undefined, { 'Retry-After': String(seconds) }),
);
