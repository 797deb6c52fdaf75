import { type BaseRoute, isObject, type Project } from '../../kernel/index.js';
import { isHttpRoute, isStandardSchema, jsonSchemaOf } from '../http/index.js';
import type { AnyDefinition } from '../http/internal.js';
import type { Version } from './inspector.js';

export interface ShownRoute {
  readonly id: string;
  readonly kind: string;
  /** `GET /api/users/:id`, as in the output of `fwk routes`. */
  readonly label: string;
  readonly method: string;
  readonly path: string;
  readonly file: string;
  /** The files of its middlewares, outermost first. */
  readonly chain: readonly string[];
  /** The names of all functions around its handler, outermost first. */
  readonly layers: readonly string[];
  readonly checks: readonly string[];
  readonly meta?: unknown;
}

export const shownRoutes = ({ routes, project }: Version): ShownRoute[] =>
  routes
    .map((route) => shownRoute(route, project))
    .sort((a, b) => (a.path === b.path ? (a.label < b.label ? -1 : 1) : a.path < b.path ? -1 : 1));

function shownRoute(route: BaseRoute, project: Project): ShownRoute {
  const { id, kind, label, file, chain = [] } = route;
  const space = label.indexOf(' ');
  return {
    id,
    kind,
    label,
    method: label.slice(0, space),
    path: label.slice(space + 1),
    file: project.display(file),
    chain: chain.map((one) => project.display(one)),
    layers: isHttpRoute(route) ? route.layers : [],
    checks: isHttpRoute(route) ? (route.checks ?? []) : [],
    ...(isHttpRoute(route) && Object.keys(route.meta).length > 0 ? { meta: plain(route.meta) } : {}),
  };
}

export interface RouteDetails extends ShownRoute {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Its JSON Schemas: responses and errors by status code, events by name. */
  readonly schemas: Readonly<Record<string, unknown>>;
  readonly mistake?: string;
}

/** A route with its schemas, whose module is imported. `wanted`: its label, ID, file or path. */
export async function routeDetails(version: Version, wanted: string): Promise<RouteDetails | undefined> {
  const route = findRoute(version, wanted);
  if (!route) return undefined;
  const shown = shownRoute(route, version.project);
  if (!isHttpRoute(route) || !route.definition) return { ...shown, schemas: {} };
  try {
    const definition = await route.definition();
    if (!definition) return { ...shown, schemas: {} };
    const { title, description, tags } = definition;
    return { ...shown, title, description, tags, schemas: schemasOf(definition) };
  } catch (thrown) {
    return { ...shown, schemas: {}, mistake: String(thrown) };
  }
}

function findRoute({ routes, project }: Version, wanted: string): BaseRoute | undefined {
  const target = wanted.trim();
  const same = (text: string): boolean => text.toLowerCase() === target.toLowerCase();
  return (
    routes.find(({ id, label }) => id === target || same(label)) ??
    routes.find(({ label, file }) => same(project.display(file)) || same(label.slice(label.indexOf(' ') + 1)))
  );
}

/** The parts that are inputs; all others are outputs. */
const INPUTS = ['params', 'query', 'headers', 'body', 'receive'] as const;
const OUTPUTS = ['response', 'errors', 'events', 'send'] as const;

function schemasOf(definition: AnyDefinition): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const part of INPUTS)
    if (definition[part] !== undefined) found[part] = shown(definition[part], 'input');
  for (const part of OUTPUTS)
    if (definition[part] !== undefined) found[part] = shown(definition[part], 'output');
  return found;
}

function shown(given: unknown, side: 'input' | 'output'): unknown {
  if (isStandardSchema(given))
    return jsonSchemaOf(given, side) ?? `a schema of ${given['~standard'].vendor}, which has no JSON Schema`;
  if (!isObject(given)) return given;
  return Object.fromEntries(Object.entries(given).map(([name, one]) => [name, shown(one, side)]));
}

function plain(value: unknown): unknown {
  try {
    return JSON.parse(
      JSON.stringify(value, (_key, member: unknown) =>
        typeof member === 'bigint' ? String(member) : member,
      ),
    );
  } catch {
    return undefined;
  }
}
