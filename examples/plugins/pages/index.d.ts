import type { HttpRequest, RoutePath, RuntimeCtx } from 'fwkit';
import type { Convention } from 'fwkit/http';
import type { Plugin } from 'fwkit/plugin';
import type { VNode } from 'preact';

/** The default export of a file in `pages/`. */
export interface Page extends NonNullable<ReturnType<Convention['endpointOf']>> {
  readonly method: 'GET';
}

type Rendered = VNode | null;

/**
 * `export default page(async (req, ctx) => <main>…</main>)`: responds to GET with the element as HTML, or with 404 if it is null.
 * `page((req: HttpRequest<'/books/:id'>, ctx) => …)` types `req.params`.
 */
export function page<Path extends RoutePath = never>(
  render: (req: HttpRequest<Path>, ctx: RuntimeCtx) => Rendered | Promise<Rendered>,
): Page;

/** The plugin: `export default defineConfig({ plugins: [pages()] })`. */
export function pages(): Plugin;
