import { make } from '../../http/page-kit/dom.js';
import * as kit from '../../http/page-kit/schema.js';

/** The document, to which references are relative. */
let root = {};

export function setRoot(document) {
  root = document;
}

export const resolved = (value) => kit.resolved(value, root);
export const propertiesOf = (schema) => kit.propertiesOf(schema, root);
export const exampleOf = (schema) => kit.exampleOf(schema, root);

const nameOf = (schema) => schema.$ref?.split('/').at(-1);

/** A short description of the type: `array of string`, `"novel" | "poem"`, `Book`. */
export function typeOf(schema, depth = 0) {
  const name = nameOf(schema);
  if (name) return name;
  if (depth > 3) return '…';
  const { const: constant, enum: values, type, format, items, allOf } = schema;
  if (constant !== undefined) return JSON.stringify(constant);
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  const alternatives = kit.alternativesOf(schema).map((one) => typeOf(one, depth + 1));
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

/** A schema as lines. Nested schemas are rendered when opened, because a schema may contain itself. */
export function showSchema(given) {
  const schema = resolved(given);
  const within = schema.type === 'array' && schema.items ? resolved(schema.items) : schema;
  const lines = propertiesOf(within).map(showProperty);
  const alternatives = kit.alternativesOf(within).filter((one) => isDeep(one));
  for (const one of alternatives) lines.push(folded(make('span', { class: 'soft path' }, typeOf(one)), one));
  return make('div', { class: 'schema' }, ...lines);
}

function showProperty({ name, schema, required }) {
  const inner = resolved(schema);
  const line = make(
    'span',
    {},
    make('code', {}, name),
    ' ',
    make('span', { class: 'soft path' }, typeOf(schema)),
    required ? '' : make('span', { class: 'soft' }, ' optional'),
    make('span', { class: 'soft' }, ` ${[limitsOf(inner), inner.description].filter(Boolean).join(' · ')}`),
  );
  return isDeep(schema) ? folded(line, schema) : make('div', {}, line);
}

/** Whether a schema has details beyond its type. */
export function isDeep(given) {
  const schema = resolved(given);
  const within = schema.type === 'array' && schema.items ? resolved(schema.items) : schema;
  return (
    propertiesOf(within).length > 0 || kit.alternativesOf(within).some((one) => propertiesOf(one).length > 0)
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
