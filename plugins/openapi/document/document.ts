import { setImmediate } from 'node:timers/promises';
import type { BaseRoute, Project } from '../../../kernel/index.js';
import { readPackage } from '../../../loader/index.js';
import { type HttpRoute, isHttpRoute, type JsonSchema } from '../../http/index.js';
import { httpSettingsOf, isAtOrBelow } from '../../http/internal.js';
import { MiddlewareExports } from '../security.js';
import { type DocumentSettings, describedOf } from '../settings.js';
import { Components } from './components.js';
import { toText } from './json-schema.js';
import { type Described, Embedding, type Gap, operation, responses } from './operation.js';
import { OperationIds, type PathTemplate, shapeOf, templateKeyOf, templateOf } from './paths.js';
import { OWN_SCHEMAS, ownResponses } from './responses.js';

export interface DocumentResult {
  readonly document: JsonSchema;
  readonly gaps: readonly Gap[];
}

/** In the order of a path's operations. The first five also stand for `all()`, which OpenAPI lacks. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];
const ALL = METHODS.slice(0, 5);

/** Sockets have no description in OpenAPI. Pages and MCP endpoints only appear if they have one. */
const isDescribed = ({ kind, meta, checks, definition }: HttpRoute): boolean =>
  meta.openapi !== false &&
  kind !== 'ws' &&
  kind !== 'openapi' &&
  (checks !== undefined || definition !== undefined || (kind !== 'web' && kind !== 'mcp'));

const ownIdOf = ({ meta: { openapi } }: HttpRoute): string | undefined =>
  openapi ? openapi.operationId : undefined;

/** Whether a document includes a path: not below a prefix with `!`, and below one of the others, if there are any. */
function isListed(path: string, routes: readonly string[]): boolean {
  const included = routes.filter((one) => !one.startsWith('!'));
  return (
    !routes.some((one) => one.startsWith('!') && isAtOrBelow(path, one.slice(1))) &&
    (included.length === 0 || included.some((one) => isAtOrBelow(path, one)))
  );
}

/** How long building a document may block other requests, in milliseconds. */
const MAX_BUSY_MS = 10;

/** Returns a function that yields to the event loop if that has not happened for a while. */
function breaks(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MAX_BUSY_MS) return;
    await setImmediate();
    since = performance.now();
  };
}

/** Build the OpenAPI 3.1 document of routes. Imports the modules that have not been imported yet. */
export async function makeDocument(
  routes: readonly BaseRoute[],
  project: Project,
  settings: DocumentSettings,
): Promise<DocumentResult> {
  const pause = breaks();
  const described = await describe(
    routes.filter((route) => isHttpRoute(route) && isListed(route.path, settings.routes)),
    project,
    pause,
  );
  const isProblem = httpSettingsOf(project).problems;
  const components = new Components(OWN_SCHEMAS);
  const parts: { one: Described; embedding: Embedding; answers: JsonSchema }[] = [];
  // Responses first: if requests have a different schema of that name, the response gets the plain name.
  for (const one of described) {
    const embedding = new Embedding(components, one);
    parts.push({ one, embedding, answers: responses(one, embedding, isProblem) });
    await pause();
  }
  const templates = new Map<string, PathTemplate>();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const { one, embedding, answers } of parts) {
    // Sorted, so that the route of one segment replaces the operation of a catch-all.
    const key = templateKeyOf(one.route.path);
    const template = templates.get(key) ?? templateOf(one.route.path);
    templates.set(key, template);
    paths[template.template] ??= {};
    Object.assign(paths[template.template] ?? {}, {
      [one.method]: operation(one, template, answers, embedding),
    });
    await pause();
  }
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const shared = ownResponses(operations.map((one) => Object(one.responses)));
  const namesInvalidInput = (part: unknown): boolean =>
    toText(part)?.includes('"#/components/schemas/InvalidInput"');
  const isUsed: Readonly<Record<string, boolean>> = {
    Problem: operations.length > 0,
    InvalidInput:
      namesInvalidInput(shared) || operations.some((one) => namesInvalidInput(Object(one.responses)[422])),
  };
  const document = {
    openapi: '3.1.0',
    info: infoOf(project, settings),
    servers: settings.servers,
    ...(settings.tags.length > 0 ? { tags: settings.tags } : {}),
    security: [],
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(components.schemas).filter(([name]) => isUsed[name] ?? true),
      ),
      responses: shared,
      ...(Object.keys(settings.security).length > 0 ? { securitySchemes: settings.security } : {}),
    },
  };
  const gaps = parts.flatMap(({ embedding }) => embedding.gaps);
  if (!settings.edit) return { document, gaps };
  // A copy without shared objects, so that an edit changes one place.
  const copy = JSON.parse(toText(document));
  return { document: (await settings.edit(copy, settings.name)) ?? copy, gaps };
}

async function describe(
  routes: readonly BaseRoute[],
  project: Project,
  pause: () => Promise<void>,
): Promise<readonly Described[]> {
  const shown = routes.filter(isHttpRoute).filter(isDescribed);
  const methods = new Set(shown.map(({ method, path }) => `${method} ${shapeOf(path)}`));
  const operations = shown.flatMap((route) => {
    if (route.method !== 'ALL') return [{ route, method: route.method.toLowerCase() }];
    const left = ALL.filter((method) => !methods.has(`${method.toUpperCase()} ${shapeOf(route.path)}`));
    return left.map((method) => ({ route, method }));
  });
  const sorted = operations
    .map((one) => ({ ...one, key: `${shapeOf(one.route.path)}\0${METHODS.indexOf(one.method)}` }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const middlewares = new MiddlewareExports(project);
  const ids = new OperationIds(shown.flatMap((route) => ownIdOf(route) ?? []));
  const described: Described[] = [];
  for (const { route, method } of sorted) {
    const definition = (await route.definition?.()) ?? {};
    const security = definition.security ?? (await middlewares.securityOf(route))?.requirements;
    const guardErrors = await middlewares.errorsOf(route);
    const operationId = ownIdOf(route) ?? ids.take(method, route.path);
    const hasTimeout = describedOf(project).timed.has(route.id);
    described.push({ route, method, operationId, definition, security, guardErrors, hasTimeout });
    await pause();
  }
  return described;
}

const textOr = (value: unknown, otherwise?: string): string | undefined =>
  typeof value === 'string' && value !== '' ? value : otherwise;

/** The name of the API and the other metadata, from the options, else from package.json. */
function infoOf({ root }: Project, settings: DocumentSettings): JsonSchema {
  const manifest = readPackage(root) ?? {};
  const description = settings.description ?? textOr(manifest.description);
  const given = settings.license;
  const license = typeof given === 'object' ? undefined : (given ?? textOr(manifest.license));
  // An SPDX `identifier`. npm's `UNLICENSED` and `SEE LICENSE IN …` are no licenses of the API.
  const isSpdx = /^(?!UNLICENSED$)[\w.+-]+$/.test(license ?? '');
  return {
    title: settings.title ?? textOr(manifest.name, 'API'),
    version: settings.version ?? textOr(manifest.version, '0.0.0'),
    ...(description === undefined ? {} : { description }),
    ...(isSpdx ? { license: { name: license, identifier: license } } : {}),
    ...(!isSpdx && given !== undefined
      ? { license: typeof given === 'object' ? given : { name: given } }
      : {}),
  };
}
