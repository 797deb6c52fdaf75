import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Project, RuntimeCtx, Scope } from '../../kernel/index.js';
import { answer, refuse, refuseUnknown } from './answer.js';
import { type BodyLimits, type BodyReader, bodyReader } from './body/reader.js';
import { hasBody, takeStream } from './body.js';
import { directReader } from './direct/reader.js';
import { writeDirectly } from './direct/writer.js';
import { Refusal } from './errors.js';
import { fallbacksOf } from './fallback.js';
import { goOn } from './go-on.js';
import { heedConnection } from './queued.js';
import { CloveRequest, setBody, type TrustProxy, targetOf } from './request.js';
import { CloveResponse } from './response.js';
import { isThenable } from './result.js';
import type { Handler, HttpRoute } from './route.js';
import { Router, type Unmatched } from './router.js';
import { segmentsOf } from './segments.js';
import { askFallbacks } from './unrouted.js';

export interface HttpSettings extends BodyLimits {
  readonly trustProxy: TrustProxy;
  /** Bodies come in without a stream, heads and bodies go out in one write, where Node allows it. */
  readonly direct: boolean;
  /** Requests come straight from a server of ours: nobody has touched them. */
  readonly own: boolean;
}

/** Answers one matched request. */
type Runner = (req: CloveRequest, res: CloveResponse) => void;

interface Endpoint {
  readonly route: HttpRoute;
  readonly read: BodyReader;
  /** The handler gets a stream whatever comes. */
  readonly streams: boolean;
  readonly run: Runner;
  /** Set until it is known that the handler can be called. */
  ready: HttpRoute['ready'];
}

/** The listener for `routes`. All that can be decided before the first request is decided here. */
export function createListener(
  routes: readonly HttpRoute[],
  project: Project,
  { trustProxy, direct, own, ...limits }: HttpSettings,
  again: RequestListener,
): RequestListener {
  const write = direct ? writeDirectly : undefined;
  const reader = direct && own ? directReader : undefined;
  const router = new Router<Endpoint>();
  for (const route of routes)
    router.add(route, {
      route,
      read: bodyReader(route.meta, limits, reader?.take ?? takeStream),
      streams: route.meta.body === 'stream',
      run: runnerFor(route.handler, project),
      ready: route.ready,
    });

  const fallbacks = fallbacksOf(project);
  const listener: RequestListener = (raw, out) => {
    if (out.socket === null) heedConnection(out);
    const target = targetOf(raw);
    const mark = target.indexOf('?');
    const method = raw.method ?? 'GET';
    const path = mark === -1 ? target : target.slice(0, mark);
    const found = router.find(method, path);
    const isGet = method === 'GET' || method === 'HEAD';
    if (found === 'malformed' || 'allow' in found) {
      if (isGet) reader?.end(raw);
      const res = new CloveResponse(out, write);
      const segments = fallbacks.length === 0 ? undefined : segmentsOf(path);
      if (segments === undefined) return answerUnmatched(found, raw, res, routes, project);
      const otherwise = () => answerUnmatched(found, raw, res, routes, project);
      return void askFallbacks(fallbacks, { raw, method, path, segments }, res, project, otherwise);
    }

    const { ready, route, read, streams, run } = found.value;
    if (ready !== undefined) return whenReady(found.value, ready, raw, out);
    const req = new CloveRequest(raw, out, route, found.params, trustProxy);
    const res = new CloveResponse(out, write);
    // GET and HEAD bodies mean nothing (RFC 9110 §9.3.1); not asking for the headers there saves parsing them.
    if (!streams && (isGet || !hasBody(raw))) {
      reader?.end(raw);
      return run(req, res);
    }
    read(raw, out, (failure, body) => {
      if (failure !== undefined) return answer(failure, req, res, project);
      setBody(req, body);
      run(req, res);
    });
  };
  return listener;

  /** Not part of the listener, where what these callbacks need would be allocated for every request. */
  function whenReady(
    endpoint: Endpoint,
    ready: () => Promise<void>,
    raw: IncomingMessage,
    out: ServerResponse,
  ): void {
    ready().then(
      () => {
        endpoint.ready = undefined;
        listener(raw, out);
      },
      // It is what this generation is broken by: another will answer.
      () => void project.trial.over.then(() => again(raw, out)),
    );
  }
}

/** Answer a request that no route matches. */
function answerUnmatched(
  found: Unmatched,
  raw: IncomingMessage,
  res: CloveResponse,
  routes: readonly HttpRoute[],
  project: Project,
): void {
  if (found === 'malformed')
    return refuse(new Refusal(400, 'The path is not validly percent-encoded'), raw, res);
  if (found.allow.length === 0)
    return (goOn.get(res.raw) ?? (() => refuseUnknown(raw, res, routes, project)))();
  res.header('Allow', found.allow.join(', '));
  if (raw.method === 'OPTIONS') return res.end();
  refuse(new Refusal(405, `${raw.method} is not answered here`), raw, res);
}

/** Where every scope shares one `ctx`, no scope is opened. */
function runnerFor(handler: Handler, project: Project): Runner {
  const { shared } = project.scopes;
  if (shared) return (req, res) => void run(handler, req, res, shared, project);
  return (req, res) => {
    try {
      const scope = project.scopes.open(req);
      closeAfter(res.raw, run(handler, req, res, scope.ctx, project), scope);
    } catch (thrown) {
      answer(thrown, req, res, project);
    }
  };
}

/** Run the handler and see to it that something is sent. Waits only for what is a promise. */
function run(
  handler: Handler,
  req: CloveRequest,
  res: CloveResponse,
  ctx: RuntimeCtx,
  project: Project,
): Promise<void> | undefined {
  try {
    const result = handler(req, res, ctx);
    if (isThenable(result))
      return Promise.resolve(result).then(
        () => finish(req, res, project),
        (thrown) => fail(thrown, req, res, project),
      );
    return finish(req, res, project);
  } catch (thrown) {
    return fail(thrown, req, res, project);
  }
}

/** What nobody turned into a response is an empty one. A head that waits may fail yet. */
function finish(req: CloveRequest, res: CloveResponse, project: Project): Promise<void> | undefined {
  try {
    if (!res.sent) res.end();
  } catch (thrown) {
    return fail(thrown, req, res, project);
  }
  return res.settled()?.catch((thrown) => answer(thrown, req, res, project));
}

function fail(
  thrown: unknown,
  req: CloveRequest,
  res: CloveResponse,
  project: Project,
): Promise<void> | undefined {
  answer(thrown, req, res, project);
  return res.settled()?.catch((again) => answer(again, req, res, project));
}

/** End the scope when the handler is done and the response is out, or its client gone. */
function closeAfter(out: ServerResponse, running: Promise<void> | undefined, scope: Scope): void {
  const close = () => void (out.closed ? scope.close() : out.once('close', () => void scope.close()));
  if (running) void running.then(close);
  else close();
}
