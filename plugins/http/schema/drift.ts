import type { AnyDefinition } from './definition.js';
import { jsonSchemaOf, shapeOf } from './json-schema.js';

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
