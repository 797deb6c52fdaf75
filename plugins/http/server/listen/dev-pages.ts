import type { RequestListener } from 'node:http';
import type { Runtime } from '../../../../kernel/index.js';

/** Pages of development, by the paths that they are below. */
type DevPages = Map<string, () => Promise<RequestListener>>;

const pagesOf = (runtime: Runtime): Promise<DevPages> =>
  runtime.getOrCreate<DevPages>('http.dev-pages', () => new Map());

/**
 * Have `path` and all paths below it answered by what `load` resolves with, before the project is asked, and also while it cannot be served. It is loaded by the first request.
 * Only a run that reloads asks for them. Call this before the project is served.
 */
export async function addDevPage(
  runtime: Runtime,
  path: string,
  load: () => Promise<RequestListener>,
): Promise<void> {
  (await pagesOf(runtime)).set(path, load);
}

/** `listener`, with the pages of development before it. */
export async function withDevPages(runtime: Runtime, listener: RequestListener): Promise<RequestListener> {
  const pages = await pagesOf(runtime);
  return (raw, out) => {
    const [path = ''] = raw.url?.split('?', 1) ?? [];
    for (const [base, load] of pages) {
      if (path !== base && !path.startsWith(`${base}/`)) continue;
      load().then(
        (answer) => answer(raw, out),
        (cause) => {
          console.error(cause);
          if (!out.headersSent) out.writeHead(500);
          out.end();
        },
      );
      return;
    }
    listener(raw, out);
  };
}
