import {
  definePlugin,
  isThenable,
  onDemand,
  option,
  type Plugin,
  type Project,
  Stage,
} from '../../kernel/index.js';
import {
  type Handler,
  type HttpRequest,
  type HttpResponse,
  isHttpRoute,
  mapHttpRoutes,
  type PageValue,
  pageValuesOf,
} from '../http/index.js';
import type { ViewEngine } from './engine.js';
import { viewTypes } from './templates.js';
import { isView, type View } from './view.js';

export type { EngineOptions, RenderView, ViewEngine } from './engine.js';
export { VIEWS } from './templates.js';
export { type View, type ViewName, type Views, view } from './view.js';

export const viewsOptions = {
  /** Makes HTML of templates, in place of Eta. */
  engine: option.custom<ViewEngine | undefined>(
    undefined,
    'a function (directory, options) => (name, data) => html',
    (value): value is ViewEngine | undefined => value === undefined || typeof value === 'function',
  ),
  /** The extension of templates, without its dot. */
  extension: option.custom(
    'eta',
    'a file extension without its dot, such as "hbs"',
    (value): value is string => typeof value === 'string' && /^\w[\w.-]*$/.test(value),
  ),
};

/** A handler that returns `view(…)` answers with the rendered template. */
export function views(): Plugin {
  // Which only those who tap the hooks are told.
  let known = viewsOptions.extension.fallback;
  return definePlugin({
    name: 'views',
    needs: ['http'],
    guide: () => import('./guide.js'),
    options: viewsOptions,
    types: (project) => viewTypes(project, known),
    apply(hooks, { engine, extension }) {
      known = extension;
      hooks.resolve.tapPromise({ name: 'views', stage: Stage.respond }, async (routes, project) => {
        if (!routes.some(isHttpRoute)) return routes;
        const send = lazySender(project, engine, extension);
        return mapHttpRoutes(routes, 'views', ({ handler }) => rendering(handler, send));
      });
    },
  });
}

/** Renders a view and sends it. */
type Send = (view: View, req: HttpRequest, res: HttpResponse) => Promise<void>;

const rendering =
  (handler: Handler, send: Send): Handler =>
  (req, res, ctx) => {
    const result = handler(req, res, ctx);
    if (isView(result)) return send(result, req, res);
    return isThenable(result)
      ? Promise.resolve(result).then((value) => (isView(value) ? send(value, req, res) : value))
      : result;
  };

/** The engine is loaded by the first view that is rendered: a project of endpoints never pays for it. */
function lazySender(project: Project, engine: ViewEngine | undefined, extension: string): Send {
  const renderer = onDemand(async () =>
    (await import('./render.js')).createRenderer(project, engine, extension),
  );
  const values = [...pageValuesOf(project)];
  return async (view, req, res) => {
    const data = values.length === 0 ? view.data : withValues(view.data, values, req, res);
    const html = await (await renderer())({ ...view, data });
    res.type(res.contentType ?? 'html').send(html);
  };
}

/** The data of a view, and what plugins give to pages: each is made when the template reads it. */
function withValues(
  data: object,
  values: readonly (readonly [string, PageValue])[],
  req: HttpRequest,
  res: HttpResponse,
): object {
  const all = { ...data };
  for (const [name, make] of values)
    if (!Object.hasOwn(all, name))
      Object.defineProperty(all, name, { get: () => make(req, res), enumerable: true });
  return all;
}
