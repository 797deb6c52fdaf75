/** The limit of `fetch` (WHATWG Fetch §4.4). */
const MAX_REDIRECTS = 20;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Send a request, and follow redirects as `fetch` does, within the origin of the request. A redirect to another origin is
 * returned. Rejects with a TypeError after 20 redirects.
 */
export async function followRedirects(
  send: (request: Request) => Promise<Response>,
  first: Request,
): Promise<Response> {
  let request = first;
  for (let left = MAX_REDIRECTS; ; left -= 1) {
    const { method, url, signal } = request;
    const headers = new Headers(request.headers);
    // The body is sent again after 307 and 308.
    const again = request.body ? request.clone() : request;
    const response = await send(request);
    const location = response.headers.get('location');
    if (!REDIRECTS.has(response.status) || location === null) return response;
    const next = new URL(location, url);
    if (next.origin !== new URL(url).origin) return response;
    await response.body?.cancel();
    if (left === 0) throw new TypeError(`${first.url} redirects more than ${MAX_REDIRECTS} times`);
    const becomesGet =
      response.status === 303 ? method !== 'HEAD' : response.status < 303 && method === 'POST';
    if (becomesGet)
      for (const name of ['content-encoding', 'content-language', 'content-location', 'content-type'])
        headers.delete(name);
    const { body } = becomesGet ? { body: null } : again;
    request = new Request(next, {
      method: becomesGet ? 'GET' : method,
      headers,
      signal,
      ...(body ? { body, duplex: 'half' } : {}),
    });
  }
}
