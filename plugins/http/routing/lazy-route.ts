import { isDeepStrictEqual } from 'node:util';
import type { Entry, Project } from '../../../kernel/index.js';
import { onDemand } from '../../../loader/index.js';
import type { Handler } from '../response/handler.js';
import type { Convention } from './convention.js';
import type { HttpRoute } from './route.js';
import { copyRoute } from './route.js';

/** Recorded metadata of a route's module, so that the route is known without importing it. */
export type RouteFacts = Pick<HttpRoute, 'method' | 'meta' | 'checks' | 'tool'>;

export const isFacts = (facts: unknown): facts is RouteFacts =>
  typeof facts === 'object' && facts !== null && 'method' in facts;

/** The handler of a module that is imported by the first request for it; a build has checked it. */
export function lazyHandler(entry: Entry, project: Project, convention: Convention): Handler {
  let handler: Handler | undefined;
  const load = onDemand(async () => {
    const { default: exported } = await project.import(entry);
    const endpoint = convention.endpointOf(exported, project);
    if (!endpoint) throw new Error(`${entry.file} no longer exports an endpoint`);
    handler = endpoint.handler;
    return handler;
  });
  return (req, res, ctx) =>
    handler ? handler(req, res, ctx) : load().then((loaded) => loaded(req, res, ctx));
}

/** The definition of a route whose module may not have been imported. */
export const lazyDefinition =
  (entry: Entry, project: Project, convention: Convention): NonNullable<HttpRoute['definition']> =>
  async () =>
    convention.endpointOf((await project.import(entry)).default, project)?.definition;

/** For a route that an edit gave another method or other metadata, which shows when it is checked only. */
const OUTDATED =
  'the route is not what it was before the last edits. It is served when they have no mistakes';

/** A route as it was in the version before, which is imported by its first request, or by the verification. */
export function unverifiedRoute(
  route: HttpRoute,
  importRoute: () => Promise<HttpRoute | undefined>,
  { entry, project }: { readonly entry: Entry; readonly project: Project },
): HttpRoute {
  const { verification } = project.run;
  let imported: ReturnType<typeof importRoute> | undefined;
  let handler = route.handler;
  const isSame = async (): Promise<boolean | undefined> => {
    imported ??= importRoute();
    const now = await imported;
    if (!now) return undefined;
    handler = now.handler;
    return (
      now.method === route.method &&
      isDeepStrictEqual(now.meta, route.meta) &&
      isDeepStrictEqual(now.checks, route.checks) &&
      isDeepStrictEqual(now.tool, route.tool)
    );
  };
  // A module that could not be imported has been reported.
  verification.add(async () => (await isSame()) !== false);
  const ready = async (): Promise<void> => {
    if (await isSame()) return;
    if (verification.isCutShort) {
      handler = () => project.import(entry).then(() => Promise.reject(new Error(OUTDATED)));
      return;
    }
    verification.startNow();
    throw new Error('the module is not what it was');
  };
  const unverified = copyRoute(route);
  unverified.ready = ready;
  unverified.handler = (req, res, ctx) => handler(req, res, ctx);
  return unverified;
}
