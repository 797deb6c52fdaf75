import type { JsonSchema } from '../../http/index.js';

const PROBLEM_TYPE = 'application/problem+json';

export const refTo = (kind: string, name: string): JsonSchema => ({ $ref: `#/components/${kind}/${name}` });

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

const header = (description: string, type: string, example: string | number): JsonSchema => ({
  description,
  schema: { type },
  example,
});

const OWN_RESPONSES: Readonly<Record<string, JsonSchema>> = {
  // Of fwk, or of a handler that declares none.
  Problem: problem('An error', 'Problem', [PROBLEM_TYPE, 'application/json']),
  InvalidInput: problem('The request is not what this route takes', 'InvalidInput'),
  UnsupportedMediaType: problem('The body is of a type that this route does not take', 'Problem'),
  TooManyRequests: {
    ...problem('The client has sent more requests than it may', 'Problem'),
    headers: {
      'Retry-After': header('Seconds until one is answered again', 'integer', 42),
      'RateLimit-Policy': header(
        'The limit: so many requests in so many seconds',
        'string',
        '"ip-60s";q=300;w=60',
      ),
      RateLimit: header('What is left of it, and for how long', 'string', '"ip-60s";r=0;t=42'),
    },
  },
  TookTooLong: problem('The route took longer than the server waits for it', 'Problem'),
};

/** Those that only some documents have. */
const OCCASIONAL = ['TooManyRequests', 'TookTooLong'];

/** The responses that operations refer to. */
export function ownResponses(answers: readonly JsonSchema[]): JsonSchema {
  const named = new Set(answers.flatMap((one) => Object.values(one).map((answer) => Object(answer).$ref)));
  return Object.fromEntries(
    Object.entries(OWN_RESPONSES).filter(
      ([name]) => !OCCASIONAL.includes(name) || named.has(refTo('responses', name).$ref),
    ),
  );
}

/** Adds a response of fwk's own, beside what the route itself says of the same status. */
export function addOwn(
  found: Record<string, JsonSchema>,
  status: string,
  response: string,
  schema: string,
): void {
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

/** How long a response is kept, in seconds. */
export interface CacheTimes {
  readonly maxAge: number;
  readonly swr?: number;
}

/** The headers of a response that is cached. */
export function cacheHeaders({ maxAge, swr }: CacheTimes): JsonSchema {
  const stale = swr ? `, stale-while-revalidate=${swr}` : '';
  return {
    'Cache-Control': header('For how many seconds it is fresh', 'string', `max-age=${maxAge}${stale}`),
    Age: header('How many seconds ago it was computed, where that is one or more', 'integer', 1),
  };
}
