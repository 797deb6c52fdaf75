import { join } from 'node:path';
import { definePlugin, type Plugin, type Project, Stage } from '../../kernel/index.js';
import { type CloveResponse, type Handler, isHttpRoute, isThenable } from '../http/index.js';
import { isView, type View } from './view.js';

export { type View, view } from './view.js';

type Render = (view: View) => string;

/** A handler that returns `view(…)` answers with the rendered template. */
export function views(): Plugin {
  return definePlugin({
    name: 'views',
    needs: ['http'],
    apply(hooks) {
      hooks.generate.tapPromise('views', async (generation) => {
        if (generation.target === 'skills')
          generation.contribute((await import('./guide.js')).guidance(generation));
      });

      hooks.resolve.tapPromise({ name: 'views', stage: Stage.finish }, async (routes, project) => {
        if (!routes.some(isHttpRoute)) return routes;
        const render = lazyRenderer(project);
        return routes.map((route) =>
          isHttpRoute(route) ? { ...route, handler: rendering(route.handler, render) } : route,
        );
      });
    },
  });
}

const rendering =
  (handler: Handler, render: (view: View, res: CloveResponse) => Promise<void>): Handler =>
  (req, res, ctx) => {
    const result = handler(req, res, ctx);
    if (isView(result)) return render(result, res);
    return isThenable(result) ? result.then((value) => (isView(value) ? render(value, res) : value)) : result;
  };

/** The template engine is loaded by the first view that is rendered: a project of endpoints never pays for it. */
function lazyRenderer(project: Project): (view: View, res: CloveResponse) => Promise<void> {
  let renderer: Promise<Render> | undefined;
  return async (view, res) => {
    renderer ??= import('eta').then(({ Eta }) => {
      const eta = new Eta({ views: join(project.root, 'views'), cache: project.mode === 'production' });
      return ({ name, data }) => eta.render(name, data);
    });
    const html = (await renderer)(view);
    res.type(res.contentType ?? 'html').send(html);
  };
}
