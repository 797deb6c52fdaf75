import { STATUS_CODES } from 'node:http';
import { isStandardSchema, type JsonSchema, type StandardSchema } from '../../http/index.js';
import type { AnyDefinition, ErrorSchemas } from '../../http/internal.js';

/** Adds the schema of a response to the document. `place`: the part of its name for responses. */
export type EmbedOutput = (schema: StandardSchema, part: string, place: string) => JsonSchema;

interface Facts {
  /** Whether the result may be null or undefined, which is sent as 204. */
  readonly maybeEmpty: boolean;
  /** Whether the method is GET or HEAD and the result may be null. */
  readonly maybeNotFound: boolean;
  readonly sendsEvents: boolean;
  readonly checksInput: boolean;
  readonly checksBody: boolean;
  readonly isLimited: boolean;
  readonly hasTimeout: boolean;
  /** The errors that the middlewares around the route declare. */
  readonly guardErrors: readonly ErrorSchemas[];
  readonly isIdempotent: boolean;
  /** Whether `error()` is sent as a problem document: `http.problems`. */
  readonly sendsProblems: boolean;
  /** How its responses are cached; undefined if they are not. */
  readonly cache: CacheTimes | undefined;
}

export function responsesOf(
  { response, errors = {}, events }: AnyDefinition,
  facts: Facts,
  embed: EmbedOutput,
): JsonSchema {
  const found: Record<string, JsonSchema> = {};
  const json = (schema: StandardSchema, part: string, place: string): JsonSchema => ({
    'application/json': { schema: embed(schema, part, place) },
  });

  if (facts.sendsEvents || events) found[200] = eventsResponse(events ?? {}, embed);
  // 200; 204 if the handler returns nothing; or a status code that the handler sets.
  else if (!response) found['2XX'] = { description: 'Success' };
  else if (isStandardSchema(response))
    found[200] = { description: 'OK', content: json(response, 'response', 'Response') };
  else
    for (const [status, schema] of Object.entries(response))
      found[status] = {
        description: titleOf(status),
        ...(schema ? { content: json(schema, `response.${status}`, `Response${status}`) } : {}),
      };

  if (facts.maybeEmpty) found[204] ??= { description: titleOf('204') };

  if (facts.cache)
    for (const status of ['200', '2XX'])
      if (found[status]) found[status] = { ...found[status], headers: cacheHeaders(facts.cache) };

  for (const [status, schemas] of errorsByStatus([errors, ...facts.guardErrors])) {
    const bodies = schemas.map((schema) => embed(schema, `errors.${status}`, `Error${status}`));
    const [first = {}, ...more] = bodies;
    const body = more.length === 0 ? first : { anyOf: bodies };
    found[status] = {
      description: titleOf(status),
      content: facts.sendsProblems ? problemOf(body) : { 'application/json': { schema: body } },
    };
  }
  if (facts.isIdempotent) {
    addOwn(found, '409', 'KeyInUse', 'Problem');
    addOwn(found, '422', 'KeyOfAnotherRequest', 'Problem');
  } else if (facts.checksInput) addOwn(found, '422', 'InvalidInput', 'InvalidInput');
  if (facts.checksBody) addOwn(found, '415', 'UnsupportedMediaType', 'Problem');
  if (facts.maybeNotFound) found[404] ??= refTo('responses', 'Problem');
  // Any route may reject a request, for example because it is too large.
  if (!Object.keys(found).some((status) => status.startsWith('4')))
    found['4XX'] = refTo('responses', 'Problem');
  if (facts.isLimited) addOwn(found, '429', 'TooManyRequests', 'Problem');
  if (facts.hasTimeout) addOwn(found, '503', 'TookTooLong', 'Problem');
  found.default = refTo('responses', 'Problem');
  return found;
}

function errorsByStatus(all: readonly ErrorSchemas[]): Map<string, StandardSchema[]> {
  const found = new Map<string, StandardSchema[]>();
  for (const [status, schema] of all.flatMap((one) => Object.entries(one))) {
    const schemas = found.get(status) ?? [];
    if (!schemas.includes(schema)) schemas.push(schema);
    found.set(status, schemas);
  }
  return found;
}

/** Each event as an object of its fields (HTML §9.2): `data` is the JSON value of the line. */
function eventsResponse(events: NonNullable<AnyDefinition['events']>, embed: EmbedOutput): JsonSchema {
  const alternatives = Object.entries(events).map(([name, schema]) => ({
    type: 'object',
    required: name === 'message' ? ['data'] : ['event', 'data'],
    properties: {
      event: { type: 'string', const: name },
      data: embed(schema, `events.${name}`, `Event_${name}`),
      id: { type: 'string' },
    },
  }));
  const [first = { type: 'string' }, ...others] = alternatives;
  const schema = others.length === 0 ? first : { oneOf: alternatives };
  const names = Object.keys(events).join(', ');
  return {
    description:
      names === '' ? 'Server-sent events' : `Server-sent events: ${names}. The data of each is JSON.`,
    content: { 'text/event-stream': { schema } },
  };
}

export const titleOf = (status: string): string => STATUS_CODES[status] ?? 'A response';

const PROBLEM_TYPE = 'application/problem+json';

/** A declared error body inside a problem document. */
const problemOf = (body: JsonSchema): JsonSchema => ({
  [PROBLEM_TYPE]: {
    schema: {
      allOf: [
        body,
        {
          type: 'object',
          required: ['status', 'title'],
          properties: { status: { type: 'integer' }, title: { type: 'string' } },
        },
      ],
    },
  },
});

const refTo = (kind: string, name: string): JsonSchema => ({ $ref: `#/components/${kind}/${name}` });

/** Schemas of errors that no definition declares. A document contains the schemas that it refers to. */
export const OWN_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Problem: {
    type: 'object',
    description: 'An error (RFC 9457). Errors from a handler may only contain a message.',
    // `error(401, 'Log in first')` in a handler or a guard sends nothing else.
    required: ['message'],
    properties: {
      status: { type: 'integer' },
      title: { type: 'string' },
      message: { type: 'string' },
    },
  },
  InvalidInput: {
    description: 'The invalid parts of the request.',
    allOf: [
      refTo('schemas', 'Problem'),
      {
        type: 'object',
        required: ['status', 'title', 'errors'],
        properties: {
          errors: {
            type: 'array',
            items: {
              type: 'object',
              required: ['in', 'path', 'message'],
              properties: {
                in: { type: 'string', enum: ['params', 'query', 'headers', 'body'] },
                path: { type: 'array', items: { type: ['string', 'integer'] } },
                message: { type: 'string' },
              },
            },
          },
        },
      },
    ],
  },
};

const problem = (
  description: string,
  schema: string,
  types: readonly string[] = [PROBLEM_TYPE],
): JsonSchema => ({
  description,
  content: Object.fromEntries(types.map((type) => [type, { schema: refTo('schemas', schema) }])),
});

const header = (description: string, type: string, example: string | number): JsonSchema => ({
  description,
  schema: { type },
  example,
});

/** A response itself, if it is a reference to a response of fwk's own. */
export const ownResponse = (response: unknown): unknown => {
  const { $ref } = Object(response);
  return typeof $ref === 'string' ? OWN_RESPONSES[$ref.split('/').at(-1) ?? ''] : response;
};

const OWN_RESPONSES: Readonly<Record<string, JsonSchema>> = {
  // An error of fwk, or of a handler that declares none.
  Problem: problem('An error', 'Problem', [PROBLEM_TYPE, 'application/json']),
  InvalidInput: problem('The request is invalid', 'InvalidInput'),
  UnsupportedMediaType: problem('The content type of the body is not supported by this route', 'Problem'),
  TooManyRequests: {
    ...problem('The client has sent too many requests', 'Problem'),
    headers: {
      'Retry-After': header('Seconds until the next request is allowed', 'integer', 42),
      'RateLimit-Policy': header(
        'The limit: the number of requests per window in seconds',
        'string',
        '"ip-60s";q=300;w=60',
      ),
      RateLimit: header(
        'The remaining requests, and the seconds until the window ends',
        'string',
        '"ip-60s";r=0;t=42',
      ),
    },
  },
  TookTooLong: problem('The request timed out on the server', 'Problem'),
  KeyInUse: {
    ...problem('The first request with this Idempotency-Key is still running', 'Problem'),
    headers: { 'Retry-After': header('Seconds until the next attempt', 'integer', 1) },
  },
  KeyOfAnotherRequest: {
    description: 'The request is invalid, or its Idempotency-Key was used for another request',
    content: {
      [PROBLEM_TYPE]: { schema: { anyOf: [refTo('schemas', 'InvalidInput'), refTo('schemas', 'Problem')] } },
    },
  },
};

/** The responses that operations refer to. */
export function ownResponses(answers: readonly JsonSchema[]): JsonSchema {
  const named = new Set(answers.flatMap((one) => Object.values(one).map((answer) => Object(answer).$ref)));
  return Object.fromEntries(
    Object.entries(OWN_RESPONSES).filter(([name]) => named.has(refTo('responses', name).$ref)),
  );
}

/** Adds a response of fwk's own to the route's declaration of the same status code. */
function addOwn(found: Record<string, JsonSchema>, status: string, response: string, schema: string): void {
  const declared = found[status];
  const headers = OWN_RESPONSES[response]?.headers;
  found[status] = declared
    ? {
        ...declared,
        ...(headers ? { headers } : {}),
        content: { ...Object(declared.content), [PROBLEM_TYPE]: { schema: refTo('schemas', schema) } },
      }
    : refTo('responses', response);
}

interface CacheTimes {
  readonly maxAge: number;
  readonly swr?: number;
}

function cacheHeaders({ maxAge, swr }: CacheTimes): JsonSchema {
  const stale = swr ? `, stale-while-revalidate=${swr}` : '';
  return {
    'Cache-Control': header(
      'How long the response is fresh, in seconds',
      'string',
      `max-age=${maxAge}${stale}`,
    ),
    Age: header('The age of the response in seconds, if it is at least one', 'integer', 1),
  };
}
