import type { HttpRequest, HttpResponse } from '../../http/index.js';

/** The methods that the endpoint answers. */
export const METHODS = ['POST', 'GET', 'DELETE'];

/** Let the page read the response; its origin has been checked (Fetch Standard, CORS protocol). */
export function allowPage(req: HttpRequest, res: HttpResponse): void {
  const origin = req.header('origin');
  if (origin === undefined) return;
  res.header('Access-Control-Allow-Origin', origin).header('Vary', 'Origin');
  res.header('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate');
}

/** Answer a preflight request. */
export function preflight(res: HttpResponse): void {
  res.header('Access-Control-Allow-Methods', METHODS.join(', ')).header('Access-Control-Max-Age', 86_400);
  res.header('Access-Control-Allow-Headers', ALLOWED_HEADERS);
  res.end();
}

const ALLOWED_HEADERS =
  'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name';
