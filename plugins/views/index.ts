import {
  definePlugin,
  isThenable,
  onDemand,
  option,
  type Plugin,
  type Project,
  Stage,
} from '../../kernel/index.js';
import { type Handler, type HttpResponse, isHttpRoute, mapHttpRoutes } from '../http/index.js';
import type { ViewEngine } from './engine.js';
import { isView, type View } from './view.js';

export type { EngineOptions, RenderView, ViewEngine } from './engine.js';
export { type View, view } from './view.js';

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
  return definePlugin({
    name: 'views',
    needs: ['http'],
    guide: () => import('./guide.js'),
    options: viewsOptions,
    apply(hooks, { engine, extension }) {
      hooks.resolve.tapPromise({ name: 'views', stage: Stage.respond }, async (routes, project) => {
        if (!routes.some(isHttpRoute)) return routes;
        const send = lazySender(project, engine, extension);
        return mapHttpRoutes(routes, 'views', ({ handler }) => rendering(handler, send));
      });
    },
  });
}

/** Renders a view and sends it. */
type Send = (view: View, res: HttpResponse) => Promise<void>;

const rendering =
  (handler: Handler, send: Send): Handler =>
  (req, res, ctx) => {
    const result = handler(req, res, ctx);
    if (isView(result)) return send(result, res);
    return isThenable(result)
      ? Promise.resolve(result).then((value) => (isView(value) ? send(value, res) : value))
      : result;
  };

/** The engine is loaded by the first view that is rendered: a project of endpoints never pays for it. */
function lazySender(project: Project, engine: ViewEngine | undefined, extension: string): Send {
  const renderer = onDemand(async () =>
    (await import('./render.js')).createRenderer(project, engine, extension),
  );
  return async (view, res) => {
    const html = await (await renderer())(view);
    res.type(res.contentType ?? 'html').send(html);
  };
}
