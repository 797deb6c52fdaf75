import {
  type BaseRoute,
  definePlugin,
  type Entry,
  type Plugin,
  type Project,
  Stage,
  slotKey,
} from '../../kernel/index.js';
import { directoriesOf, type HttpRoute, isHttpRoute } from '../http/index.js';
import {
  deriveRoute,
  guardsOf,
  haveSameItems,
  httpSettingsOf,
  isPlaceholder,
  placeholdersBelow,
  routeWrapper,
} from '../http/internal.js';
import {
  checkingErrors,
  fold,
  isMiddleware,
  type Middleware,
  type MiddlewareLayer,
  type MiddlewareModule,
} from './middleware.js';

export {
  type Middleware,
  type MiddlewareModule,
  type MiddlewareOptions,
  middleware,
  type Next,
} from './middleware.js';

/**
 * The middlewares in `middlewares/` run for every request except for requests that a fallback
 * answers, such as static files in `public/`; `_middleware` files run for requests to URLs below
 * their directory.
 */
export function middlewares(): Plugin {
  return definePlugin({
    name: 'middlewares',
    needs: ['http'],
    guide: () => import('./guide.js'),
    doctor: () => import('./doctor.js'),
    types: (project) => ({
      declarations: '',
      exports: () =>
        middlewaresOf(project).map(({ file }) => ({
          file,
          accepts: `import('${PACKAGE}').MiddlewareModule`,
          wrong: NO_MIDDLEWARE,
        })),
    }),
    apply(hooks) {
      hooks.discover.tap('middlewares', (claims) => {
        claims.add('middleware', 'middlewares/**');
        claims.add('directory-middleware', '**/_middleware.*');
      });

      hooks.resolve.tapPromise({ name: 'middlewares', stage: Stage.wrap }, async (routes, project) => {
        const layers = await Promise.all(middlewaresOf(project).map((one) => load(one, project)));
        const loaded = layers.filter((layer) => layer !== undefined);
        if (loaded.length === 0) return routes;
        const directories = loaded.map(({ directory }) => directory).filter((directory) => directory !== '');
        // Makes the `_middleware` of a directory also run for 404 and 405 responses below it.
        const known = [...routes, ...placeholdersBelow(directories, project)];
        const inner = loaded.filter(({ isOutermost }) => !isOutermost);
        const outermost = loaded.filter(({ isOutermost }) => isOutermost);
        project.slot(OUTERMOST, () => outermost);
        guardsOf(project).of = (file) => {
          const layers = [...outermost, ...inner].filter(({ directory }) => file.startsWith(directory));
          return {
            files: layers.map((layer) => layer.file),
            around: (handler) => fold(layers, handler, project),
          };
        };
        return wrapped('middlewares', known, inner, project);
      });

      // Around the rate limit and the CSRF check, and inside the layers that turn results into responses.
      hooks.resolve.tapPromise(
        { name: 'middlewares:outermost', stage: Stage.outermost },
        async (routes, project) =>
          wrapped(
            'middlewares:outermost',
            routes,
            project.slot(OUTERMOST, () => []),
            project,
          ),
      );
    },
  });
}

const OUTERMOST = slotKey<readonly LocatedMiddleware[]>('middlewares.outermost');

/** Puts the middlewares of each route around it. */
function wrapped(
  tap: string,
  routes: readonly BaseRoute[],
  all: readonly LocatedMiddleware[],
  project: Project,
): readonly BaseRoute[] {
  if (all.length === 0) return routes;
  const around = chainsOf(tap, all, project);
  return routes.map((route) => {
    if (!isHttpRoute(route)) return route;
    const { layers, uses, wrap } = around(route);
    return layers.length === 0 ? route : deriveRoute(route, tap, uses, wrap);
  });
}

const PACKAGE = 'fwkit';

/** The problem of a file with another default export. It completes "the file …". */
const NO_MIDDLEWARE = 'is not a middleware. Export default middleware((req, res, ctx, next) => …).';

export interface MiddlewareFile {
  readonly file: string;
  /** Routes of files below it get the middleware; '' for all routes. It ends with a slash. */
  readonly directory: string;
}

/** The middlewares of a project, outermost first, judging by file names: nothing is imported. */
export const middlewaresOf = (project: Project): readonly MiddlewareFile[] =>
  [
    ...inNaturalOrder(project.files('middleware')),
    ...project.files('directory-middleware').toSorted(byDepth),
  ].map(({ file, kind }) => ({
    file,
    directory: kind === 'middleware' ? '' : file.slice(0, file.lastIndexOf('/') + 1),
  }));

type LocatedMiddleware = MiddlewareFile & MiddlewareLayer & Pick<MiddlewareModule, 'isOutermost'>;

interface Chain {
  readonly layers: readonly LocatedMiddleware[];
  /** All that the layers depend on. */
  readonly uses: readonly unknown[];
  wrap(route: HttpRoute): HttpRoute;
}

const CHAINS = slotKey<Map<string, Chain>>('middlewares.chains');

/** Returns a function that finds the middlewares around a route by its directories. Routes of the same directories share a chain. */
function chainsOf(
  tap: string,
  all: readonly LocatedMiddleware[],
  project: Project,
): (route: HttpRoute) => Chain {
  const { mode, source, previous } = project;
  const wrapRoute = routeWrapper(tap);
  const chains = project.slot(CHAINS, () => new Map<string, Chain>());
  const before = previous?.slot(CHAINS, () => new Map<string, Chain>());
  // Routes are sorted by file, so most have the directory of the route before.
  let last: { readonly directory: string; readonly chain: Chain } | undefined;
  const chainOf = (own: readonly string[]): Chain => {
    const key = [tap, ...own].join('\n');
    const known = chains.get(key);
    if (known) return known;
    const layers = all.filter(({ directory }) => own.some((one) => one.startsWith(directory)));
    const files = layers.map(({ file }) => file);
    const uses = [mode, source, ...files, ...layers.map(({ run }) => run)];
    const earlier = before?.get(key)?.uses;
    // The same array is compared in no time, and every route compares it.
    const chain = {
      layers,
      uses: earlier && haveSameItems(earlier, uses) ? earlier : uses,
      wrap: (route: HttpRoute) =>
        wrapRoute(route, ({ handler, timeLayer, chain = [] }) => ({
          handler: fold(layers, handler, project, timeLayer),
          chain: [...files, ...chain],
        })),
    };
    chains.set(key, chain);
    return chain;
  };
  return (route) => {
    const { file } = route;
    const isNext = last?.directory.length === file.lastIndexOf('/') + 1 && file.startsWith(last.directory);
    if (last && isNext && !isPlaceholder(route)) return last.chain;
    const own = directoriesOf(route);
    const chain = chainOf(own);
    last = isPlaceholder(route) ? undefined : { directory: own[0] ?? '', chain };
    return chain;
  };
}

async function load(
  { file, directory }: MiddlewareFile,
  project: Project,
): Promise<LocatedMiddleware | undefined> {
  const module = await project.load({ file });
  if (!module) return undefined;
  if (!isMiddleware(module.default)) {
    project.report(file, NO_MIDDLEWARE, 'FWK113');
    return undefined;
  }
  const { default: middleware, errors } = module;
  const { isOutermost } = middleware;
  if (errors === undefined) return { file, directory, run: middleware.run, isOutermost };
  try {
    const known = checked.get(module) ?? checkingErrors(middleware.run, errors, project.display(file));
    checked.set(module, known);
    const run = httpSettingsOf(project).checkResponses ? known : middleware.run;
    return { file, directory, run, isOutermost };
  } catch (thrown) {
    project.reportThrown(file, 'exports incorrect "errors"', thrown, 'FWK401');
    return undefined;
  }
}

/** The same function in each version, because the routes of unchanged files keep their layers. */
const checked = new WeakMap<object, Middleware>();

/** `2.auth` comes before `10.audit`. A fixed locale: the order must not depend on the machine. */
function inNaturalOrder(entries: readonly Entry[]): readonly Entry[] {
  if (entries.length < 2) return entries;
  collator ??= new Intl.Collator('en', { numeric: true });
  const { compare } = collator;
  return entries.toSorted((a, b) => compare(a.file, b.file));
}

/** Creating it takes 5 ms, which most commands need not pay for. */
let collator: Intl.Collator | undefined;

/** Outermost directories first. */
const byDepth = (a: Entry, b: Entry): number => a.file.split('/').length - b.file.split('/').length;
