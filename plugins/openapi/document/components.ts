import { isObject } from '../../../kernel/index.js';
import { type JsonSchema, jsonSchemaOf, type StandardSchema } from '../../http/index.js';
import { definitionIn, referencesIn, toText, withReferences } from './json-schema.js';

/** Inputs of schemas occur in requests, outputs in responses. */
export type Side = 'input' | 'output';

const SUFFIX: Readonly<Record<Side, string>> = { input: 'Input', output: 'Output' };

const PREFIX = '#/components/schemas/';

/** Names that libraries generate, with a number that may change. */
const isGeneratedName = (name: string, vendor: string): boolean =>
  vendor === 'arktype' || /^(?:__schema)?\d+$/.test(name);

/**
 * The schemas of a document. A schema of a library is a document of its own, whose references are
 * relative to itself; the definitions that it refers to become components here.
 */
export class Components {
  readonly #schemas: Map<string, JsonSchema>;
  readonly #names = new Map<string, string>();
  readonly #embedded = new Map<StandardSchema, Map<Side, JsonSchema | undefined>>();

  constructor(own: Readonly<Record<string, JsonSchema>>) {
    this.#schemas = new Map(Object.entries(own));
  }

  get schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /**
   * The schema in the form that the document contains; undefined if its library cannot convert it.
   * `place` names a schema that needs a name but has none: `GetTreeResponse`.
   */
  embed(schema: StandardSchema, side: Side, place: string): JsonSchema | undefined {
    const known = this.#embedded.get(schema) ?? new Map<Side, JsonSchema | undefined>();
    this.#embedded.set(schema, known);
    if (!known.has(side)) {
      const json = jsonSchemaOf(schema, side);
      known.set(side, json && this.#hoisted(json, schema['~standard'].vendor, side, place));
    }
    return known.get(side);
  }

  dereference(schema: JsonSchema): JsonSchema {
    const { $ref } = schema;
    if (typeof $ref !== 'string') return schema;
    return ($ref.startsWith(PREFIX) ? this.#schemas.get($ref.slice(PREFIX.length)) : undefined) ?? {};
  }

  #hoisted(json: JsonSchema, vendor: string, side: Side, place: string): JsonSchema {
    const { $defs, ...root } = json;
    const definitions = new Map(
      Object.entries(isObject($defs) ? $defs : {}).filter((entry): entry is [string, JsonSchema] =>
        isObject(entry[1]),
      ),
    );
    const isRecursive = [root, ...definitions.values()]
      .flatMap(referencesIn)
      .some((ref) => ref.startsWith('#') && !definitionIn(ref));
    const texts = new Map([...definitions].map(([key, schema]) => [key, definitionOf(schema)]));
    const names = new Map<string, string>();
    const added: [name: string, schema: JsonSchema][] = [];
    const name = (schema: JsonSchema, own: string | undefined): string => {
      const meaning = `${own ?? ''}\n${toText(schema)}\n${closure(schema, texts)}`;
      const known = this.#names.get(meaning);
      if (known !== undefined) return known;
      const free = this.#freeName(own ?? place, own === undefined ? '' : SUFFIX[side]);
      this.#names.set(meaning, free);
      // Reserves the name, so that the next schema gets another; the content follows when all are known.
      this.#schemas.set(free, {});
      added.push([free, schema]);
      return free;
    };

    const rootName = isRecursive ? name(root, undefined) : '';
    for (const [key, schema] of definitions)
      names.set(key, name(schema, isGeneratedName(key, vendor) ? undefined : key));
    const resolve = (ref: string): string => {
      if (!ref.startsWith('#')) return ref;
      const into = definitionIn(ref);
      if (!into) return `${PREFIX}${rootName}${ref.slice(1)}`;
      return `${PREFIX}${names.get(into.name) ?? into.name}${into.rest}`;
    };
    for (const [key, schema] of added) this.#schemas.set(key, withReferences(schema, resolve));
    return isRecursive ? { $ref: `${PREFIX}${rootName}` } : withReferences(root, resolve);
  }

  /** `wanted`, or, if it is taken, the name with the suffix or with a number. */
  #freeName(wanted: string, suffix: string): string {
    // OpenAPI 3.1 §4.8.7
    const base = wanted.replace(/[^\w.-]+/g, '_');
    if (!this.#schemas.has(base)) return base;
    const other = base + suffix;
    let name = other;
    for (let count = 2; this.#schemas.has(name); count++) name = `${other}${count}`;
    return name;
  }
}

/** A definition as text, and the names of the definitions that it refers to. */
interface Definition {
  readonly text: string;
  readonly names: readonly string[];
}

const definitionOf = (schema: JsonSchema): Definition => ({ text: toText(schema), names: namesIn(schema) });

const namesIn = (schema: JsonSchema): string[] =>
  referencesIn(schema).flatMap((ref) => definitionIn(ref)?.name ?? []);

function closure(schema: JsonSchema, texts: ReadonlyMap<string, Definition>): string {
  const found = new Map<string, string>();
  const visit = (names: readonly string[]): void => {
    for (const name of names) {
      const next = texts.get(name);
      if (next === undefined || found.has(name)) continue;
      found.set(name, next.text);
      visit(next.names);
    }
  };
  visit(namesIn(schema));
  return [...found].flat().join('\n');
}
