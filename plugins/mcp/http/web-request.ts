import type { ServerResponse } from 'node:http';
import type { HttpRequest, HttpResponse } from '../../http/index.js';

/** The request of each response: the SDK keeps its signal alone, and that of a Request which has been collected never aborts. */
const requests = new WeakMap<ServerResponse, Request>();

/** A request in the form that the SDK takes, without its body. `signal` aborts it for as long as there is a response to it. */
export function webRequest(req: HttpRequest, res: HttpResponse, signal: AbortSignal): Request {
  const request = new Request(req.url, {
    method: req.method,
    headers: new Headers(Object.entries(req.headers).map(([name, value]) => [name, String(value)])),
    signal,
  });
  requests.set(res.raw, request);
  return request;
}
