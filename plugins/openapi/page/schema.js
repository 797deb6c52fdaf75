import { make } from './dom.js';

/** The document, to which references are relative. */
let root = {};

export function setRoot(document) {
  root = document;
}

/** What a reference leads to; anything else is itself. */
export function resolved(value) {
  let found = value;
  for (let steps = 0; typeof found?.$ref === 'string' && steps < 20; steps++)
    found = found.$ref
      .slice(2)
      .split('/')
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce((inner, key) => (inner && Object.hasOwn(inner, key) ? inner[key] : undefined), root);
  return found ?? {};
}

const nameOf = (schema) => schema.$ref?.split('/').at(-1);

const alternativesOf = ({ anyOf, oneOf }) => anyOf ?? oneOf ?? [];

/** In a few words: `array of string`, `"novel" | "poem"`, `Book`. */
export function typeOf(schema, depth = 0) {
  const name = nameOf(schema);
  if (name) return name;
  if (depth > 3) return '…';
  const { const: constant, enum: values, type, format, items, allOf } = schema;
  if (constant !== undefined) return JSON.stringify(constant);
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  const alternatives = [...alternativesOf(schema)].map((one) => typeOf(one, depth + 1));
  if (alternatives.length > 0) return alternatives.join(' | ');
  if (allOf) return allOf.map((one) => typeOf(one, depth + 1)).join(' & ');
  if (type === 'array') return `array of ${items ? typeOf(items, depth + 1) : 'anything'}`;
  const types = [type ?? 'anything'].flat().join(' | ');
  return format ? `${types} (${format})` : types;
}

const LIMITS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
];

const isSafeLimit = (value) => Math.abs(value) === Number.MAX_SAFE_INTEGER;

/** Limits and default of a schema: `minimum 1, default 5`. */
export const limitsOf = (schema) =>
  [...LIMITS, 'default']
    .filter((key) => schema[key] !== undefined && !isSafeLimit(schema[key]))
    .map((key) => `${key} ${JSON.stringify(schema[key])}`)
    .join(', ');

/** The properties of an object, and of those that it is made of. */
export function propertiesOf(given) {
  const schema = resolved(given);
  const found = Object.entries(schema.properties ?? {}).map(([name, one]) => ({
    name,
    schema: one,
    required: schema.required?.includes(name) ?? false,
  }));
  return [...found, ...(schema.allOf ?? []).flatMap(propertiesOf)];
}

/** A schema as lines, with what is within it folded up: made when it is opened, since a schema may contain itself. */
export function showSchema(given) {
  const schema = resolved(given);
  const within = schema.type === 'array' && schema.items ? resolved(schema.items) : schema;
  const lines = propertiesOf(within).map(showProperty);
  const alternatives = alternativesOf(within).filter((one) => isDeep(one));
  for (const one of alternatives) lines.push(folded(make('span', { class: 'type' }, typeOf(one)), one));
  return make('div', { class: 'schema' }, ...lines);
}

function showProperty({ name, schema, required }) {
  const inner = resolved(schema);
  const line = make(
    'span',
    {},
    make('code', {}, name),
    ' ',
    make('span', { class: 'type' }, typeOf(schema)),
    required ? '' : make('span', { class: 'soft' }, ' optional'),
    make('span', { class: 'soft' }, ` ${[limitsOf(inner), inner.description].filter(Boolean).join(' · ')}`),
  );
  return isDeep(schema) ? folded(line, schema) : make('div', {}, line);
}

/** Whether there is more to say of a schema than its type. */
export function isDeep(given) {
  const schema = resolved(given);
  const within = schema.type === 'array' && schema.items ? resolved(schema.items) : schema;
  return (
    propertiesOf(within).length > 0 || alternativesOf(within).some((one) => propertiesOf(one).length > 0)
  );
}

function folded(line, schema) {
  const details = make('details', {
    toggle: () => {
      if (details.open && details.childElementCount === 1) details.append(showSchema(schema));
    },
  });
  details.append(make('summary', {}, line));
  return details;
}

/** A value that fits, as far as that is easily made: to start from. */
export function exampleOf(given, depth = 0) {
  const schema = resolved(given);
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  const [first = schema.enum?.[0]] = schema.examples ?? [];
  if (first !== undefined) return first;
  const [alternative] = alternativesOf(schema);
  if (alternative) return exampleOf(alternative, depth + 1);
  const type = [schema.type].flat()[0];
  if (type === 'array') return depth < 3 && schema.items ? [exampleOf(schema.items, depth + 1)] : [];
  const properties = propertiesOf(schema);
  if (type === 'object' || properties.length > 0)
    return Object.fromEntries(
      properties
        .filter(({ required }) => required && depth < 4)
        .map(({ name, schema: one }) => [name, exampleOf(one, depth + 1)]),
    );
  if (type === 'number' || type === 'integer') return Math.max(schema.minimum ?? 0, 0);
  if (type === 'boolean') return false;
  if (type === 'null') return null;
  return schema.format === 'date-time' ? new Date().toISOString() : '';
}
