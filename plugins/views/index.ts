import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { option, type TypeContribution } from '../../contributions/index.js';
import { definePlugin, isThenable, type Plugin, type Project, Stage, slotKey } from '../../kernel/index.js';
import { onDemand } from '../../loader/index.js';
import {
  addPageValue,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  isHttpRoute,
  mapHttpRoutes,
} from '../http/index.js';
import { offerRenderer, type PageValue, pageValuesOf, projectOf } from '../http/internal.js';
import { isTemplateName, isView, VIEWS, type View, type ViewEngine } from './view.js';

export type { ViewName, Views } from '../http/internal.js';
export {
  type EngineOptions,
  isView,
  VIEWS,
  type View,
  type ViewEngine,
  view,
} from './view.js';

declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /**
     * `true`: if a form is invalid (422), the page of the GET route with the same path is shown again, with `it.form.values` and
     * `it.form.errors`.
     */
    readonly form?: true;
  }
}

export const viewsOptions = {
  /** Renders templates to HTML, instead of Eta. */
  engine: option.custom<ViewEngine | undefined>(
    undefined,
    'a function (directory, options) => (name, data) => html',
    (value): value is ViewEngine | undefined => value === undefined || typeof value === 'function',
  ),
  /** The file extension of templates, without its dot. */
  extension: option.custom(
    'eta',
    'a file extension without its dot, such as "hbs"',
    (value): value is string => typeof value === 'string' && /^\w[\w.-]*$/.test(value),
  ),
};

/** A handler that returns `view(…)` answers with the rendered template. */
export function views(): Plugin {
  // `types` does not receive the options: `apply` stores the extension for it.
  let known = viewsOptions.extension.fallback;
  return definePlugin({
    name: 'views',
    needs: ['http'],
    guide: () => import('./guide.js'),
    options: viewsOptions,
    types: (project) => viewTypes(project, known),
    doctor: async () => {
      const { unreadViews, unusedViews } = await import('./doctor.js');
      return {
        examine: (examination) => [
          ...unusedViews(examination, templatesIn(examination.project, known)),
          ...unreadViews(examination, filesBelow(join(examination.project.root, VIEWS)), known),
        ],
      };
    },
    apply(hooks, { engine, extension }) {
      known = extension;
      hooks.resolve.tapPromise('views:renderer', async (routes, project) => {
        const open = rendererOf(project, engine, extension);
        const render = async (name: string, data: object) => {
          const values = Object.fromEntries([...pageValuesOf(project).keys()].map((key) => [key, '']));
          return (await open())({ name, data: { ...values, ...data } });
        };
        offerRenderer(project, { extension, render });
        return routes;
      });
      // Inside the middlewares, which have run for this request already when the page is shown again.
      hooks.resolve.tapPromise({ name: 'views:form', stage: Stage.inside }, async (routes, project) => {
        const http = routes.filter(isHttpRoute);
        if (!http.some(({ meta }) => meta.form !== undefined)) return routes;
        const { formMistake, formPagesOf, formStateOf, withForm } = await import('./forms.js');
        const pages = formPagesOf(project);
        for (const { method, path, handler } of http) if (method === 'GET') pages.set(path, handler);
        for (const route of http) {
          const mistake = formMistake(route, pages);
          if (mistake !== undefined) project.report(route.file, mistake, 'FWK403');
        }
        addPageValue(project, 'form', formStateOf);
        return mapHttpRoutes(
          routes,
          'views:form',
          (route) => (route.meta.form ? withForm(route) : undefined),
          [],
        );
      });
      // Each route knows its middlewares now.
      hooks.resolve.tapPromise({ name: 'views:form-page', stage: Stage.trim }, async (routes, project) => {
        const http = routes.filter(isHttpRoute);
        for (const { meta, path, chain = [], file } of http) {
          const page = meta.form && http.find((one) => one.method === 'GET' && one.path === path);
          const missing = page?.chain?.find((one) => !chain.includes(one));
          if (page && missing !== undefined)
            project.report(
              file,
              `has .meta({ form: true }), but its page, ${project.display(page.file)}, is behind ${project.display(missing)}, which does not run for this route. Move both files into one directory.`,
              'FWK403',
            );
        }
        return routes;
      });
      hooks.resolve.tapPromise({ name: 'views', stage: Stage.respond }, async (routes, project) => {
        if (!routes.some(isHttpRoute)) return routes;
        const senderOf = (of: Project): Send => of.slot(SENDER, () => lazySender(of, engine, extension));
        // Now, because it takes the values that plugins have added so far.
        senderOf(project);
        const send: Send = (view, req, res) => senderOf(projectOf(req))(view, req, res);
        return mapHttpRoutes(routes, 'views', ({ handler }) => rendering(handler, send), [engine, extension]);
      });
    },
  });
}

type Send = (view: View, req: HttpRequest, res: HttpResponse) => Promise<void>;

const SENDER = slotKey<Send>('views.sender');
const RENDERER = slotKey<() => Promise<(view: View) => Promise<string>>>('views.renderer');

const rendering =
  (handler: Handler, send: Send): Handler =>
  (req, res, ctx) => {
    const result = handler(req, res, ctx);
    if (isView(result)) return send(result, req, res);
    return isThenable(result)
      ? Promise.resolve(result).then((value) => (isView(value) ? send(value, req, res) : value))
      : result;
  };

/** The engine is loaded by the first view that is rendered, so projects without views never load it. */
const rendererOf = (project: Project, engine: ViewEngine | undefined, extension: string) =>
  project.slot(RENDERER, () =>
    onDemand(async () => (await import('./render.js')).createRenderer(project, engine, extension)),
  );

function lazySender(project: Project, engine: ViewEngine | undefined, extension: string): Send {
  const renderer = rendererOf(project, engine, extension);
  const values = [...pageValuesOf(project)];
  return async (view, req, res) => {
    const data = values.length === 0 ? view.data : withValues(view.data, values, req, res);
    const html = await (await renderer())({ ...view, data });
    res.type(res.contentType ?? 'html').send(html);
  };
}

/** A view's data and the values of plugins, each created when the template reads it. */
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

/** The members of `Views`: the templates by the names that `view()` takes; undefined if none. */
function viewTypes({ root }: Project, extension: string): TypeContribution | undefined {
  const end = `.${extension}`;
  const members = templatesIn({ root }, extension)
    .map((file) => [nameOf(file, end), file])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .map(([name, file]) => `    readonly ${JSON.stringify(name)}: ${JSON.stringify(file)};\n`);
  return members.length === 0 ? undefined : { declarations: `  interface Views {\n${members.join('')}  }\n` };
}

/** The templates of a project, relative to `views/`. */
const templatesIn = ({ root }: Pick<Project, 'root'>, extension: string): string[] =>
  filesBelow(join(root, VIEWS)).filter((file) => file.endsWith(`.${extension}`) && isTemplateName(file));

/** `file` without its extension, unless that names another file: `a.eta` is `a.eta`, not `a.eta.eta`. */
function nameOf(file: string, end: string): string {
  const name = file.slice(0, -end.length);
  return name.endsWith(end) || !isTemplateName(name) ? file : name;
}

/** The files below `directory`, relative, with forward slashes, and without hidden files. */
function filesBelow(directory: string): string[] {
  const found: string[] = [];
  const start = target(directory);
  if (start !== undefined) walk(start, '', []);
  return found;

  /** `above`: the real paths of the parent directories, because a link may point to one of them. */
  function walk(path: string, prefix: string, above: readonly string[]): void {
    const way = [...above, path];
    for (const entry of list(path)) {
      const { name } = entry;
      if (name.startsWith('.')) continue;
      const isLink = entry.isSymbolicLink();
      const at = isLink ? target(join(path, name)) : join(path, name);
      if (at === undefined) continue;
      const kind = isLink ? statSync(at, { throwIfNoEntry: false }) : entry;
      if (kind?.isFile()) found.push(prefix + name);
      else if (kind?.isDirectory() && !way.includes(at)) walk(at, `${prefix}${name}/`, way);
    }
  }
}

function target(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** The entries of a directory; none if it cannot be read, because then no template in it could be rendered. */
function list(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
