import { isDeepStrictEqual } from 'node:util';
import { type BaseRoute, isObject, type Problem, type Project } from '../../kernel/index.js';
import { type HttpRoute, isHttpRoute } from '../http/index.js';
import type { ErrorSchemas } from '../http/internal.js';
import type { OpenapiSettings } from './settings.js';

/** One of the alternatives that a route accepts: a scheme, or schemes with their scopes that are needed together. */
export type Requirement = string | Readonly<Record<string, readonly string[]>>;

interface Named {
  readonly file: string;
  readonly requirements: readonly Requirement[];
}

/** The scopes of each scheme in a requirement, as a document has them. */
export const schemesOf = (requirement: Requirement): Readonly<Record<string, readonly string[]>> =>
  typeof requirement === 'string' ? { [requirement]: [] } : requirement;

const isRequirement = (value: unknown): value is Requirement =>
  typeof value === 'string' ||
  (isObject(value) &&
    Object.values(value).every(
      (scopes) => Array.isArray(scopes) && scopes.every((one) => typeof one === 'string'),
    ));

/** Reads the security schemes and errors that middlewares declare for the routes below them. */
export class MiddlewareExports {
  constructor(private readonly project: Project) {}

  /** The schemes of the innermost middleware around a route that exports `security`. */
  async securityOf({ chain = [] }: Pick<BaseRoute, 'chain'>): Promise<Named | undefined> {
    for (const file of chain.toReversed()) {
      const { security } = await this.project.import({ file });
      if (security === undefined) continue;
      const isList = Array.isArray(security) && security.every(isRequirement);
      // A list with one name that no scheme can have, so that it is reported as a mistake.
      return { file, requirements: isList ? security : [NO_LIST] };
    }
    return undefined;
  }

  /** The errors of all middlewares around a route. The plugin "middlewares" has checked them. */
  async errorsOf({ chain = [] }: Pick<BaseRoute, 'chain'>): Promise<ErrorSchemas[]> {
    const modules = await Promise.all(chain.map((file) => this.project.import({ file })));
    return modules.flatMap(({ errors }) => (isObject(errors) ? [errors] : []));
  }
}

const NO_LIST = '';

/** The mistakes in the security scheme names of definitions and middlewares, one sentence each. */
export async function securityMistakes(
  routes: readonly BaseRoute[],
  project: Project,
  { security }: OpenapiSettings,
): Promise<Problem[]> {
  const middlewares = new MiddlewareExports(project);
  const found: Problem[] = [];
  for (const route of routes) {
    if (!isHttpRoute(route) || isChecked(route, project) || checked.get(route) === security) continue;
    const own = (await route.definition?.())?.security;
    const named = own ? { file: route.file, requirements: own } : await middlewares.securityOf(route);
    const before = found.length;
    for (const [name, scopes] of (named?.requirements ?? []).map(schemesOf).flatMap(Object.entries)) {
      const message = messageFor(name, scopes, security);
      if (message === undefined) continue;
      const mistake = { file: named?.file ?? route.file, message, code: 'FWK409' as const };
      if (!found.some((one) => isDeepStrictEqual(one, mistake))) found.push(mistake);
    }
    if (found.length === before) checked.set(route, security);
  }
  return found;
}

/** Routes without a mistake, which later versions keep if neither their file nor their middlewares change, and the known schemes. */
const checked = new WeakMap<BaseRoute, OpenapiSettings['security']>();

/** The previous version, or an earlier app of the process, has checked the definition, and the first request imports it. */
const isChecked = ({ ready, kind, file }: HttpRoute, { run }: Project): boolean =>
  ready !== undefined || (!run.mustVerify && run.cachedMetadata({ kind, file }) !== undefined);

function messageFor(
  name: string,
  scopes: readonly string[],
  schemes: OpenapiSettings['security'],
): string | undefined {
  if (name === NO_LIST)
    return 'exports a "security" that is not a list of names. Write export const security = [\'session\'].';
  const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
  if (!scheme)
    return `names the security scheme "${name}", but openapi.security in fwk.config has ${listOf(Object.keys(schemes))}. Add "${name}" there, or correct the name.`;
  if (scheme.type !== 'oauth2') return undefined;
  const known = Object.values(Object(scheme.flows)).flatMap((flow) =>
    Object.keys(Object(Object(flow).scopes)),
  );
  const missing = scopes.find((scope) => !known.includes(scope));
  return missing === undefined
    ? undefined
    : `names the scope "${missing}", but the flows of openapi.security.${name} in fwk.config have ${listOf([...new Set(known)])}. Add "${missing}" there, or correct the name.`;
}

const listOf = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((one) => `"${one}"`).join(', ');
