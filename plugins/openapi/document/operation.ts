import { isObject } from '../../../kernel/index.js';
import {
  type HttpRoute,
  isStandardSchema,
  type JsonSchema,
  jsonSchemaOf,
  type StandardSchema,
} from '../../http/index.js';
import {
  type AnyDefinition,
  dereference,
  type ErrorSchemas,
  listed,
  MAX_DEPTH,
} from '../../http/internal.js';
import { patched } from '../adjustments.js';
import { type Requirement, schemesOf } from '../security.js';
import type { Components, Side } from './components.js';
import { headerParameters, isOptional, pathParameters, queryParameters } from './parameters.js';
import { capitalize, type PathTemplate, tagOf } from './paths.js';
import { ownResponse, responsesOf, titleOf } from './responses.js';

export interface Described {
  readonly route: HttpRoute;
  readonly method: string;
  readonly operationId: string;
  readonly definition: AnyDefinition;
  /** The requirements, one of which a caller needs; undefined if nothing declares any. */
  readonly security: readonly Requirement[] | undefined;
  /** The errors that the middlewares around the route declare. */
  readonly guardErrors: readonly ErrorSchemas[];
  readonly hasTimeout: boolean;
}

export interface Gap {
  readonly route: HttpRoute;
  readonly part: string;
  readonly schema: StandardSchema;
}

/** Describes a part whose schema cannot be converted as any value, and records the part. */
export class Embedding {
  readonly gaps: Gap[] = [];

  constructor(
    readonly components: Components,
    private readonly described: Described,
  ) {}

  read(schema: StandardSchema, side: Side, part: string, place: string): JsonSchema | undefined {
    const { route, operationId } = this.described;
    const found = this.components.embed(schema, side, capitalize(operationId) + place);
    if (!found) this.gaps.push({ route, part, schema });
    return found;
  }
}

export function responses(described: Described, embedding: Embedding, sendsProblems: boolean): JsonSchema {
  const { route, method, definition, guardErrors, hasTimeout } = described;
  const { params, query, headers, body, response } = definition;
  const isRead = method === 'get' || method === 'head';
  const usual = isStandardSchema(response) ? response : response?.[200];
  const facts = {
    maybeEmpty: Boolean(usual && (isOptional(usual) || (!isRead && isNullable(usual)))),
    maybeNotFound: isRead && (response !== undefined || route.path.includes('/:')),
    sendsEvents: route.meta.sse === true,
    checksInput: Boolean(params ?? query ?? headers ?? body),
    checksBody: body !== undefined,
    isLimited: route.layers.includes('rate-limit'),
    hasTimeout,
    guardErrors,
    isIdempotent: takesKey(described),
    sendsProblems,
    cache: route.layers.includes('cache') ? route.meta.cache : undefined,
  };
  return responsesOf(
    definition,
    facts,
    (schema, part, place) => embedding.read(schema, 'output', part, place) ?? {},
  );
}

/** Whether a result may be null after the check. */
function isNullable(schema: StandardSchema): boolean {
  const root = jsonSchemaOf(schema, 'output');
  const accepts = (one: JsonSchema, depth = 0): boolean =>
    [one.type].flat().includes('null') ||
    (depth < MAX_DEPTH &&
      [...listed(one.anyOf), ...listed(one.oneOf)].some((inner) =>
        accepts(dereference(inner, root ?? {}), depth + 1),
      ));
  return root !== undefined && accepts(dereference(root, root));
}

export function operation(
  described: Described,
  template: PathTemplate,
  answers: JsonSchema,
  embedding: Embedding,
): JsonSchema {
  const { route, method, operationId, definition, security } = described;
  const { title, description, tags, body } = definition;
  const { deprecated } = route.meta;
  const content = bodyContent(
    route,
    body && (embedding.read(body, 'input', 'body', 'Body') ?? {}),
    embedding.components,
  );
  const parameters = parametersOf(described, template, embedding);
  const generated = {
    operationId,
    tags: tags ?? [tagOf(route)],
    summary: title ?? `${method.toUpperCase()} ${route.path}`,
    ...(description === undefined ? {} : { description }),
    ...(deprecated || definition.deprecated ? { deprecated: true } : {}),
    ...(deprecated?.sunset ? { 'x-sunset': deprecated.sunset } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(content ? { requestBody: { ...(body && isOptional(body) ? {} : { required: true }), content } } : {}),
    responses: answers,
    ...(security ? { security: security.map(schemesOf) } : {}),
  };
  return adjusted(described, generated);
}

/** The operation with the changes of `.meta({ openapi })`. */
function adjusted({ route }: Described, generated: JsonSchema): JsonSchema {
  const patch = route.meta.openapi;
  if (!patch) return generated;
  const responses = Object.fromEntries(
    Object.entries(Object(generated.responses)).map(([status, response]) => [
      status,
      // A shared response becomes a copy, which can be changed.
      patch.responses?.[status] ? ownResponse(response) : response,
    ]),
  );
  const result = Object(patched({ ...generated, responses }, patch));
  for (const [status, response] of Object.entries(result.responses))
    result.responses[status] = { description: titleOf(status), ...Object(response) };
  return result;
}

function parametersOf(
  { route, method, definition: { params, query, headers } }: Described,
  template: PathTemplate,
  embedding: Embedding,
): JsonSchema[] {
  const { components } = embedding;
  const ofPath = params && embedding.read(params, 'input', 'params', 'Params');
  const ofQuery = query && embedding.read(query, 'input', 'query', 'Query');
  const ofHeaders = headers && embedding.read(headers, 'input', 'headers', 'Headers');
  return [
    ...pathParameters(template, route.path, ofPath, components),
    ...(ofQuery ? queryParameters(ofQuery, components) : []),
    ...(ofHeaders ? headerParameters(ofHeaders, components) : []),
    ...(takesKey({ route, method }) ? [IDEMPOTENCY_KEY] : []),
  ];
}

const takesKey = ({ route, method }: Pick<Described, 'route' | 'method'>): boolean =>
  route.layers.includes('idempotency') && !['get', 'head', 'options'].includes(method);

const IDEMPOTENCY_KEY: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Requests with the same key run once, and get the response to the first of them.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function bodyContent(
  { kind, meta }: Pick<HttpRoute, 'kind' | 'meta'>,
  schema: JsonSchema | undefined,
  components: Components,
): JsonSchema | undefined {
  if (meta.body === 'stream') return { '*/*': { schema: {} } };
  if (!schema) return undefined;
  if (holdsFile(schema, components)) return { 'multipart/form-data': { schema } };
  const json = { 'application/json': { schema } };
  return kind === 'web' ? { 'application/x-www-form-urlencoded': { schema }, ...json } : json;
}

/** Whether a schema contains a file, which only a form can transmit. */
function holdsFile(schema: unknown, components: Components, seen = new Set<unknown>()): boolean {
  if (Array.isArray(schema)) return schema.some((one) => holdsFile(one, components, seen));
  if (!isObject(schema) || seen.has(schema)) return false;
  seen.add(schema);
  if (schema.type === 'string' && schema.format === 'binary') return true;
  return Object.values({ ...schema, $ref: components.dereference(schema) }).some((one) =>
    holdsFile(one, components, seen),
  );
}
