import type { ServerResponse } from 'node:http';
import { isThenable, type Project } from '../../../../kernel/index.js';
import { type RuntimeCtx, type Scope, scopesOf } from '../../../../scope/index.js';
import { sendError } from '../../errors/send-error.js';
import type { HttpRequest } from '../../request/request.js';
import type { Handler } from '../../response/handler.js';
import type { HttpResponse } from '../../response/response.js';
import { withDeadline } from './deadline.js';

/** Answers one request. In any case, a response is sent and the scope is closed. */
export type Runner = (req: HttpRequest, res: HttpResponse) => void;

/** Opens no scope if no service needs to be disposed. `timeout`: milliseconds until the response must begin; 0: no limit. */
export function runnerFor(handler: Handler, project: Project, timeout: number): Runner {
  const scopes = scopesOf(project);
  const { light } = scopes;
  if (timeout > 0) return timedRunner(handler, project, timeout);
  if (light) return (req, res) => void run(handler, req, res, light(req), project);
  return (req, res) => {
    try {
      const scope = scopes.open(req);
      closeAfter(res.raw, run(handler, req, res, scope.ctx, project), scope);
    } catch (thrown) {
      sendError(thrown, req, res, project);
    }
  };
}

function timedRunner(inner: Handler, project: Project, timeout: number): Runner {
  const { begin, handler } = withDeadline(inner, project, timeout);
  const scopes = scopesOf(project);
  return (req, res) => {
    try {
      const ended = begin(req, res);
      const scope = scopes.open(req);
      closeAfter(res.raw, ended(run(handler, req, res, scope.ctx, project)), scope);
    } catch (thrown) {
      sendError(thrown, req, res, project);
    }
  };
}

/** Run the handler and ensure that a response is sent. Only waits for promises. */
function run(
  handler: Handler,
  req: HttpRequest,
  res: HttpResponse,
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

/** Send an empty response if no layer has sent one. A delayed head may still fail. */
function finish(req: HttpRequest, res: HttpResponse, project: Project): Promise<void> | undefined {
  try {
    if (!res.sent && !res.isStreaming) res.end();
  } catch (thrown) {
    return fail(thrown, req, res, project);
  }
  return res.settled()?.catch((thrown) => sendError(thrown, req, res, project));
}

function fail(
  thrown: unknown,
  req: HttpRequest,
  res: HttpResponse,
  project: Project,
): Promise<void> | undefined {
  sendError(thrown, req, res, project);
  return res.settled()?.catch((again) => {
    if (again !== thrown) sendError(again, req, res, project);
  });
}

/** Close the scope when the handler is done and the response has been sent or the client has disconnected. */
function closeAfter(out: ServerResponse, running: Promise<void> | undefined, scope: Scope): void {
  const close = () => void (out.closed ? scope.close() : out.once('close', () => void scope.close()));
  if (running) void running.then(close);
  else close();
}
