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
  /** The key within a value that is not accepted, which the report names; '' for all of it. */
  place?(value: unknown): string | undefined;
}

const SCHEMA: Rule = { expected: A_SCHEMA, accepts: isStandardSchema };

/** Whether `value` has a schema for each status, all of which are at least `first` and below `end`. */
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

/** What each key of a definition may be, whatever wrapper it is given to. */
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...INPUT_PARTS.map((part) => [part, SCHEMA] as const),
  [
    'response',
    {
      expected: `${A_SCHEMA}, or an object with one for each status from 200 to 299, null where it has no body, as 204 and 205 never have`,
      accepts: (value) =>
        isStandardSchema(value) ||
        isByStatus(
          value,
          200,
          300,
          (one, status) => one === null || (isStandardSchema(one) && !isBodiless(status)),
        ),
    },
  ],
  [
    'errors',
    {
      expected: `an object with ${A_SCHEMA} for each status from 400 to 599`,
      accepts: (value) => isByStatus(value, 400, 600, isStandardSchema),
    },
  ],
  [
    'tool',
    {
      expected:
        'true, or an object with texts as name, title and description, annotations and a list of scopes',
      accepts: (value) => toolMistake(value) === undefined,
      place: toolMistake,
    },
  ],
  [
    'events',
    {
      expected: `an object with ${A_SCHEMA} for each event, by a name of one line`,
      accepts: (value) =>
        isObject(value) &&
        Object.entries(value).every(([name, schema]) => /^[^\r\n]+$/.test(name) && isStandardSchema(schema)),
    },
  ],
  ['receive', SCHEMA],
  ['send', SCHEMA],
  ['title', { expected: 'a text', accepts: isText }],
  ['description', { expected: 'a text', accepts: isText }],
  ['tags', { expected: 'a list of texts', accepts: isTexts }],
  ['deprecated', { expected: 'true or false', accepts: (value) => typeof value === 'boolean' }],
  ['security', { expected: 'a list of texts', accepts: isTexts }],
]);

/** The schemas that no wrapper of a method takes. */
const LIVE_KEYS: readonly string[] = ['events', 'receive', 'send'];
const METHOD_KEYS: readonly string[] = [...RULES.keys()].filter((key) => !LIVE_KEYS.includes(key));

/** Of keys that few wrappers take, which do: a handler in a wrong wrapper has them unknown. */
const OWNERS: ReadonlyMap<string, string> = new Map([
  ['events', 'That of sse() has it. '],
  ['receive', 'That of ws() has it, in files below ws/. '],
  ['send', 'That of ws() has it, in files below ws/. '],
  ['body', 'Those of post(), put() and patch() have it. '],
]);

const TEXT_KEYS: readonly string[] = ['title', 'description', 'tags', 'deprecated', 'security'];

/**
 * A definition, after a look at all of it. Throws a DefinitionError for what compiles in JavaScript only. `wrapper` is what the user
 * called: `sse`. `parts` are the schemas that it takes. Default: those of `get`, `post` and the other methods.
 */
export function definitionOf(
  wrapper: string,
  definition: unknown,
  parts?: readonly CheckedPart[],
): AnyDefinition {
  if (typeof definition === 'function' && !isStandardSchema(definition))
    throw new DefinitionError(
      `${wrapper}() takes its definition first, then the handler. Swap them.`,
      'FWK401',
    );
  if (isStandardSchema(definition)) {
    const part = parts?.at(-1) ?? 'body';
    const example = part === 'events' ? '{ events: { message: schema } }' : `{ ${part}: schema }`;
    throw new DefinitionError(`${wrapper}() takes schemas by what they are of: write ${example}.`, 'FWK401');
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
    const within = place ? `; its "${place}" is not right` : '';
    throw new DefinitionError(`the "${key}" of ${wrapper}() must be ${rule.expected}${within}.`, 'FWK401');
  }
  if ((wrapper === 'get' || wrapper === 'head') && 'body' in definition && definition.body !== undefined)
    throw new DefinitionError(
      `${wrapper}() cannot check a "body": that of GET and HEAD is not read (RFC 9110 §9.3.1). Take it out, or use post(), put() or patch().`,
      'FWK401',
    );
  return definition;
}

/**
 * Mistakes of a definition that only show beside its file, one sentence each: names that the path of the file has not, or a
 * header that no request can have. A schema that cannot tell its properties is taken as it is.
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
        `has a params schema with ${list(known)}, the path of the file has ${list(names)}. Make the names the same.`,
      );
  }
  const upper = namesIn(headers)?.filter((name) => name !== name.toLowerCase()) ?? [];
  for (const name of upper)
    mistakes.push(
      `has "${name}" in its headers schema. Write "${name.toLowerCase()}": names come in lower case.`,
    );
  if (body && streams)
    mistakes.push('has a body schema and .meta({ body: "stream" }). Leave out one: a stream is not checked.');
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
]);

/** The key of a `tool` that is unknown or has the wrong value; '' where the whole is wrong, undefined where nothing is. */
function toolMistake(tool: unknown): string | undefined {
  if (tool === true) return undefined;
  return isObject(tool) ? mistakenKey(tool, MEMBERS) : '';
}

const mistakenKey = (value: object, members: ReadonlyMap<string, Check>): string | undefined =>
  Object.entries(value).find(([key, one]) => one !== undefined && !members.get(key)?.(one))?.[0];
