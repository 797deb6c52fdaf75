import { httpRoutes } from 'fwkit/http';
import { brand } from 'fwkit/plugin';
import { renderToString } from 'preact-render-to-string';

/** @import { Convention } from 'fwkit/http' */
/** @import { Page } from './index.js' */

/** Marks the results of page(), even if another copy of this package created them. */
const definitions = /** @type {typeof brand<Page>} */ (brand)('fwk-pages.page');

// Its type parameter is in index.d.ts.
/** @param {(req: any, ctx: import('fwkit').RuntimeCtx) => any} render @returns {Page} */
export function page(render) {
  if (typeof render !== 'function')
    throw new TypeError('page() takes a function (req, ctx) => <main>…</main>');
  /** @type {Page['handler']} */
  const handler = async (req, res, ctx) => {
    const element = await render(req, ctx);
    // fwk responds with 404.
    if (element === null) return null;
    res.type('html').send(`<!doctype html>${renderToString(element)}`);
  };
  return definitions.mark({ method: 'GET', metadata: {}, handler });
}

/** @type {Convention} */
const convention = {
  verb: 'PAGE',
  suffixes: {},
  endpointOf: (exported) => (definitions.has(exported) ? exported : undefined),
  accepts: "import('fwk-pages').Page",
  missing: 'has no default export. Export default page((req, ctx) => <main>…</main>).',
  unwrapped: 'has a default export that is not a page. Export default page((req, ctx) => <main>…</main>).',
};

/** The plugin. */
export const pages = () =>
  httpRoutes({
    name: 'pages',
    directory: 'pages',
    mount: '',
    extensions: ['tsx'],
    convention,
    guide: () => import('./guide.js'),
  });
