import type { HttpRequest, HttpResponse } from '../../http/index.js';

/** Answer a request without a session; its client begins one (MCP 2025-11-25, Session Management). */
export const noSession = (req: HttpRequest, res: HttpResponse): undefined =>
  req.header('mcp-session-id') === undefined
    ? sendRpcError(res, 400, 'Mcp-Session-Id is missing: begin with an initialize request')
    : sendRpcError(res, 404, 'There is no such session any more: begin with an initialize request', -32001);

export function notAllowed(res: HttpResponse, methods: readonly string[]): undefined {
  res.header('Allow', methods.join(', '));
  return sendRpcError(res, 405, `This address answers ${methods.join(', ')}`);
}

/** Answer with 503: there is no memory for the request now (RFC 9110 §15.6.4). */
export function noRoom(res: HttpResponse): undefined {
  res.header('Retry-After', 1);
  return sendRpcError(res, 503, 'The server has no room for this now: try again');
}

/** Answer with 413: there will never be memory for the request. `option` sets the limit. */
export const tooMuch = (res: HttpResponse, limit: number, option: string): undefined =>
  sendRpcError(
    res,
    413,
    `This takes more than the ${limit} bytes of memory that are kept for it (${option})`,
  );

/** Answer with 503: the server is being stopped. */
export function stopping(res: HttpResponse): undefined {
  res.header('Connection', 'close').header('Retry-After', 1);
  return sendRpcError(res, 503, 'The server is being stopped: connect again');
}

/** Answer with a JSON-RPC error that belongs to no request (MCP 2025-11-25, Streamable HTTP). */
export function sendRpcError(res: HttpResponse, status: number, message: string, code = -32000): undefined {
  res.status(status).json({ jsonrpc: '2.0', id: null, error: { code, message } });
}
