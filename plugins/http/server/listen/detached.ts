import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Project } from '../../../../kernel/index.js';
import { HttpRequest } from '../../request/request.js';
import { refuseNonce } from '../../response/nonce.js';
import { HttpResponse } from '../../response/response.js';
import type { Handler } from '../../response/handler.js';
import { endsOf, exchange } from './fetch.js';

/** What a handler made of a request that nobody waits for. */
export interface Detached {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Its body, which has to be read, or destroyed. */
  readonly body: IncomingMessage;
  /** What the handler has thrown, where its body fails. */
  readonly failure: () => unknown;
}

export interface DetachedSettings {
  /** All headers that the handler sees. */
  readonly headers: OutgoingHttpHeaders;
  /** Whether it also sees where the request comes from. */
  readonly isKnown: boolean;
  /** Called with the request as the handler gets it. */
  readonly prepare?: (req: HttpRequest) => void;
}

interface Job extends DetachedSettings {
  readonly project: Project;
  readonly handler: Handler;
  readonly of: HttpRequest;
  failure?: { readonly thrown: unknown };
}

const JOB = Symbol('job');

/** It never listens: connections in memory are handed to it. */
let server: Server | undefined;

/**
 * Have `handler` answer a GET for the URL of `of`, in a scope of its own: it does not end with the client of `of`. Rejects with
 * what the handler throws.
 */
export async function runDetached(
  project: Project,
  handler: Handler,
  of: HttpRequest,
  settings: DetachedSettings,
): Promise<Detached> {
  server ??= createServer((raw, out) => {
    const job = Reflect.get(raw.socket, JOB) as Job | undefined;
    if (job) void run(job, raw, out);
  });
  const job: Job = { ...settings, project, handler, of };
  const { host, protocol } = of.url;
  const ends = settings.isKnown ? endsOf(of.raw.socket) : { encrypted: protocol === 'https:' };
  const { headers } = settings;
  const { out, answered } = exchange(
    server,
    { method: 'GET', path: targetOf(of), headers: { host, ...headers, connection: 'close' } },
    { ...ends, [JOB]: job },
  );
  out.end();
  const message = await answered.catch((cause) => {
    throw job.failure ? job.failure.thrown : cause;
  });
  if (job.failure) {
    message.destroy();
    throw job.failure.thrown;
  }
  return {
    status: message.statusCode ?? 200,
    headers: message.rawHeaders,
    body: message,
    failure: () => job.failure?.thrown,
  };
}

function targetOf(req: HttpRequest): string {
  const search = HttpRequest.search(req);
  return search === '' ? req.path : `${req.path}?${search}`;
}

async function run(job: Job, raw: IncomingMessage, out: ServerResponse): Promise<void> {
  const { project, handler, of, isKnown, prepare } = job;
  const own = HttpRequest.settingsOf(of);
  const req = new HttpRequest(raw, out, of.route, of.params, isKnown ? own : { ...own, trustProxy: false });
  const res = new HttpResponse(out);
  refuseNonce(
    out,
    `A nonce is of one response, and those of ${of.route.file ?? of.path} are cached: leave it out of them, or do not cache them`,
  );
  const scope = project.scopes.open(req);
  try {
    prepare?.(req);
    await handler(req, res, scope.ctx);
    if (!res.sent && !res.isStreaming) res.end();
    await res.settled();
  } catch (thrown) {
    job.failure = { thrown };
    out.destroy();
  } finally {
    if (out.closed) await scope.close();
    else out.once('close', () => void scope.close());
  }
}
