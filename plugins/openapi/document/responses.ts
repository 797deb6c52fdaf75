import { STATUS_CODES } from 'node:http';
import {
  type AnyDefinition,
  isStandardSchema,
  type JsonSchema,
  type StandardSchema,
} from '../../http/index.js';
import { addOwn, type CacheTimes, cacheHeaders, refTo } from './own-responses.js';

/** The schema of what a response is made of, in the document; `place` says which it is. */
export type EmbedOutput = (schema: StandardSchema, part: string, place: string) => JsonSchema;

interface Facts {
  /** Whether it is GET or HEAD, with a result that may be null. */
  readonly maybeNotFound: boolean;
  readonly sendsEvents: boolean;
  readonly checksInput: boolean;
  readonly checksBody: boolean;
  readonly isLimited: boolean;
  readonly hasTimeout: boolean;
  /** How its responses are cached; undefined where they are not. */
  readonly cache: CacheTimes | undefined;
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

  if (facts.cache)
    for (const status of ['200', '2XX'])
      if (found[status]) found[status] = { ...found[status], headers: cacheHeaders(facts.cache) };

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
  if (facts.isLimited) addOwn(found, '429', 'TooManyRequests', 'Problem');
  if (facts.hasTimeout) addOwn(found, '503', 'TookTooLong', 'Problem');
  found.default = refTo('responses', 'Problem');
  return found;
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
