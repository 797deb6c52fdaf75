import { STATUS_CODES } from 'node:http';
import {
  type AnyDefinition,
  isStandardSchema,
  type JsonSchema,
  type StandardSchema,
} from '../../http/index.js';

/** The schema of what a response is made of, in the document; `place` says which it is. */
export type EmbedOutput = (schema: StandardSchema, part: string, place: string) => JsonSchema;

export const PROBLEM_TYPE = 'application/problem+json';

const refTo = (kind: string, name: string): JsonSchema => ({ $ref: `#/components/${kind}/${name}` });

/** The schemas that every document has: of errors that no definition declares. */
export const OWN_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Problem: {
    type: 'object',
    description: 'What went wrong (RFC 9457). Errors of a handler may have no more than a message.',
    // `error(401, 'Log in first')` of a handler or a guard sends nothing else.
    required: ['message'],
    properties: {
      status: { type: 'integer' },
      title: { type: 'string' },
      message: { type: 'string' },
    },
  },
  InvalidInput: {
    description: 'What of the request does not fit, and where.',
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

export const OWN_RESPONSES: Readonly<Record<string, JsonSchema>> = {
  // Of fwk, or of a handler that declares none.
  Problem: problem('An error', 'Problem', [PROBLEM_TYPE, 'application/json']),
  InvalidInput: problem('The request is not what this route takes', 'InvalidInput'),
  UnsupportedMediaType: problem('The body is of a type that this route does not take', 'Problem'),
};

interface Facts {
  /** Whether it is GET or HEAD, with a result that may be null. */
  readonly maybeNotFound: boolean;
  readonly sendsEvents: boolean;
  readonly checksInput: boolean;
  readonly checksBody: boolean;
}

/** The responses of a route, by status. */
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
  // 200, or 204 where the handler gives nothing, or what it sets.
  else if (!response) found['2XX'] = { description: 'Success' };
  else if (isStandardSchema(response))
    found[200] = { description: 'OK', content: json(response, 'response', 'Response') };
  else
    for (const [status, schema] of Object.entries(response))
      found[status] = {
        description: titleOf(status),
        ...(schema ? { content: json(schema, `response.${status}`, `Response${status}`) } : {}),
      };

  for (const [status, schema] of Object.entries(errors))
    if (schema)
      found[status] = {
        description: titleOf(status),
        content: json(schema, `errors.${status}`, `Error${status}`),
      };
  if (facts.checksInput) addOwn(found, '422', 'InvalidInput', 'InvalidInput');
  if (facts.checksBody) addOwn(found, '415', 'UnsupportedMediaType', 'Problem');
  if (facts.maybeNotFound) found[404] ??= refTo('responses', 'Problem');
  // Any route may refuse a request: for its size, say.
  if (!Object.keys(found).some((status) => status.startsWith('4')))
    found['4XX'] = refTo('responses', 'Problem');
  found.default = refTo('responses', 'Problem');
  return found;
}

/** Adds a response of fwk's own, beside what the route itself says of the same status. */
function addOwn(found: Record<string, JsonSchema>, status: string, response: string, schema: string): void {
  const declared = found[status];
  found[status] = declared
    ? {
        ...declared,
        content: { ...Object(declared.content), [PROBLEM_TYPE]: { schema: refTo('schemas', schema) } },
      }
    : refTo('responses', response);
}

/** Each event as an object of its fields (HTML §9.2): `data` as it is within the line, as JSON. */
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

const titleOf = (status: string): string => STATUS_CODES[status] ?? 'A response';
