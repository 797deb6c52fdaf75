import { isObject } from '../../../kernel/index.js';
import { type AnyDefinition, type CheckedPart, isBodiless } from './definition.js';
import { DefinitionError } from './definition-error.js';
import { jsonSchemaOf, shapeOf } from './json-schema.js';
import { INPUT_PARTS, isStandardSchema } from './standard-schema.js';

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const A_SCHEMA = 'a schema of a library such as zod 4, valibot 1 or arktype 2';

interface Rule {
  readonly expected: string;
  accepts(value: unknown): boolean;
  /** Returns a sentence for a value that belongs elsewhere. */
  hint?(value: unknown): string | undefined;
  /** Returns the invalid key within a value, for the message; '' if the whole value is invalid. */
  place?(value: unknown): string | undefined;
}

const SCHEMA: Rule = { expected: A_SCHEMA, accepts: isStandardSchema };

/** Whether `value` has a schema for each status, with all statuses from `first` up to, but not including, `end`. */
const isByStatus = (
  value: unknown,
  first: number,
  end: number,
  accepts: (one: unknown, status: number) => boolean,
): boolean =>
  isObject(value) &&
  Object.entries(value).every(
    ([status, schema]) =>
      /^\d{3}$/.test(status) &&
      Number(status) >= first &&
      Number(status) < end &&
      accepts(schema, Number(status)),
  );

/** The first key of `value` that is a status from `first` up to, but not including, `end`. */
const statusIn = (value: unknown, first: number, end: number): string | undefined =>
  isObject(value) && !isStandardSchema(value)
    ? Object.keys(value).find((status) => Number(status) >= first && Number(status) < end)
    : undefined;

/** The rules for each key of a definition, for all wrappers. */
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...INPUT_PARTS.map((part) => [part, SCHEMA] as const),
  [
    'response',
    {
      expected: `${A_SCHEMA}, or an object with one for each status from 200 to 299; null for a status without a body, such as 204 and 205`,
      accepts: (value) =>
        isStandardSchema(value) ||
        isByStatus(
          value,
          200,
          300,
          (one, status) => one === null || (isStandardSchema(one) && !isBodiless(status)),
        ),
      hint: (value) => {
        const status = statusIn(value, 400, 600);
        return status && `Move ${status} to "errors": { errors: { ${status}: schema } }.`;
      },
    },
  ],
  [
    'errors',
    {
      expected: `an object with ${A_SCHEMA} for each status from 400 to 599`,
      accepts: (value) => isByStatus(value, 400, 600, isStandardSchema),
      hint: (value) => {
        const status = statusIn(value, 200, 300);
        return status && `Move ${status} to "response": { response: { ${status}: schema } }.`;
      },
    },
  ],
  [
    'tool',
    {
      expected:
        'true, or an object with the strings name, title and description, annotations and an array of scopes',
      accepts: (value) => toolMistake(value) === undefined,
      place: toolMistake,
    },
  ],
  [
    'events',
    {
      expected: `an object with ${A_SCHEMA} for each event name, a single line`,
      accepts: (value) =>
        isObject(value) &&
        Object.entries(value).every(([name, schema]) => /^[^\r\n]+$/.test(name) && isStandardSchema(schema)),
    },
  ],
  [
    'protocols',
    {
      expected: 'a list of names such as "graphql-transport-ws"',
      accepts: (value) =>
        Array.isArray(value) &&
        value.every((name) => typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name)),
    },
  ],
  ['receive', SCHEMA],
  ['send', SCHEMA],
  ['state', SCHEMA],
  ['title', { expected: 'a string', accepts: isText }],
  ['description', { expected: 'a string', accepts: isText }],
  ['tags', { expected: 'an array of strings', accepts: isTexts }],
  ['deprecated', { expected: 'true or false', accepts: (value) => typeof value === 'boolean' }],
  [
    'security',
    {
      expected: "an array of names, or of objects such as { oauth: ['books:write'] }",
      accepts: (value) =>
        Array.isArray(value) &&
        value.every((one) => isText(one) || (isObject(one) && Object.values(one).every(isTexts))),
    },
  ],
]);

/** Schemas that method wrappers don't accept. */
const LIVE_KEYS: readonly string[] = ['events', 'protocols', 'receive', 'send', 'state'];
const METHOD_KEYS: readonly string[] = [...RULES.keys()].filter((key) => !LIVE_KEYS.includes(key));

/** Hints for keys that only a few wrappers accept, in case a handler uses the wrong wrapper. */
const OWNERS: ReadonlyMap<string, string> = new Map([
  ['events', 'Only sse() accepts it. '],
  ['protocols', 'Only ws() accepts it, in files below ws/. '],
  ['receive', 'Only ws() accepts it, in files below ws/. '],
  ['send', 'Only ws() accepts it, in files below ws/. '],
  ['state', 'Only ws() accepts it, in files below ws/. '],
  ['body', 'Only post(), put() and patch() accept it. '],
]);

const TEXT_KEYS: readonly string[] = ['title', 'description', 'tags', 'deprecated', 'security'];

/**
 * Validate a definition. Throws a DefinitionError for mistakes that only compile in JavaScript. `wrapper` is the name of the
 * called function: `sse`. `parts` are the schemas that it accepts. Default: the schemas of `get`, `post` and the other methods.
 */
export function definitionOf(
  wrapper: string,
  definition: unknown,
  parts?: readonly (CheckedPart | 'protocols' | 'state')[],
): AnyDefinition {
  if (typeof definition === 'function' && !isStandardSchema(definition))
    throw new DefinitionError(
      `${wrapper}() takes its definition first, then the handler. Swap them.`,
      'FWK401',
    );
  if (isStandardSchema(definition)) {
    const part = parts?.at(-1) ?? 'body';
    const example = part === 'events' ? '{ events: { message: schema } }' : `{ ${part}: schema }`;
    throw new DefinitionError(`${wrapper}() takes an object with schemas: write ${example}.`, 'FWK401');
  }
  if (!isObject(definition))
    throw new DefinitionError(`${wrapper}() takes a handler, or a definition and a handler.`, 'FWK402');
  const keys = parts ? [...parts, ...TEXT_KEYS] : METHOD_KEYS;
  for (const [key, value] of Object.entries(definition)) {
    const rule = keys.includes(key) ? RULES.get(key) : undefined;
    if (!rule)
      throw new DefinitionError(
        `${wrapper}() has an unknown key "${key}" in its definition. ${OWNERS.get(key) ?? ''}It takes ${keys.join(', ')}.`,
        'FWK401',
      );
    if (value === undefined || rule.accepts(value)) continue;
    const place = rule.place?.(value);
    const within = place ? `; its "${place}" is invalid` : '';
    const hint = rule.hint?.(value);
    throw new DefinitionError(
      `the "${key}" of ${wrapper}() must be ${rule.expected}${within}.${hint ? ` ${hint}` : ''}`,
      'FWK401',
    );
  }
  if ((wrapper === 'get' || wrapper === 'head') && 'body' in definition && definition.body !== undefined)
    throw new DefinitionError(
      `${wrapper}() cannot check a "body", because the body of GET and HEAD requests is not read (RFC 9110 §9.3.1). Remove it, or use post(), put() or patch().`,
      'FWK401',
    );
  return definition;
}

/**
 * Find mistakes that only show together with the file, one sentence each: parameter names that the path doesn't have, or a
 * header that no request can have. A schema whose properties are unknown is not checked.
 */
export function driftMistakes(
  { params, headers, body }: AnyDefinition,
  names: readonly string[],
  streams: boolean,
): string[] {
  const mistakes: string[] = [];
  const known = namesIn(params);
  if (known) {
    const surplus = known.filter((name) => !names.includes(name));
    const missing = names.filter((name) => !known.includes(name));
    if (surplus.length + missing.length > 0)
      mistakes.push(
        `has a params schema with ${list(known)}, but the path of the file has ${list(names)}. Use the same names.`,
      );
  }
  const upper = namesIn(headers)?.filter((name) => name !== name.toLowerCase()) ?? [];
  for (const name of upper)
    mistakes.push(
      `has "${name}" in its headers schema. Write "${name.toLowerCase()}": header names are in lower case.`,
    );
  if (body && streams)
    mistakes.push(
      'has a body schema and .meta({ body: "stream" }). Remove one of them, because a stream is not checked.',
    );
  return mistakes;
}

function namesIn(schema: AnyDefinition['params']): string[] | undefined {
  const json = schema && jsonSchemaOf(schema, 'input');
  if (!json) return undefined;
  const { named, others } = shapeOf(json);
  return named.size === 0 && others.length > 0 ? undefined : [...named.keys()];
}

const list = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((name) => `"${name}"`).join(', ');

type Check = (value: unknown) => boolean;

const isFlag: Check = (value) => typeof value === 'boolean';

const ANNOTATIONS: ReadonlyMap<string, Check> = new Map([
  ['title', isText],
  ['readOnlyHint', isFlag],
  ['destructiveHint', isFlag],
  ['idempotentHint', isFlag],
  ['openWorldHint', isFlag],
]);

const MEMBERS: ReadonlyMap<string, Check> = new Map([
  ['name', isText],
  ['title', isText],
  ['description', isText],
  ['annotations', (value) => isObject(value) && mistakenKey(value, ANNOTATIONS) === undefined],
  ['scopes', (value) => Array.isArray(value) && value.every(isText)],
  ['view', (value) => isText(value) || (isObject(value) && isText(value.name))],
]);

/** The key of a `tool` that is unknown or has an invalid value; '' if the whole tool is invalid, undefined if it is valid. */
function toolMistake(tool: unknown): string | undefined {
  if (tool === true) return undefined;
  return isObject(tool) ? mistakenKey(tool, MEMBERS) : '';
}

const mistakenKey = (value: object, members: ReadonlyMap<string, Check>): string | undefined =>
  Object.entries(value).find(([key, one]) => one !== undefined && !members.get(key)?.(one))?.[0];
