import { make } from './dom.js';
import { exampleOf, isDeep, limitsOf, propertiesOf, resolved, showSchema, typeOf } from './schema.js';

/** @typedef {{ readonly row: Node, readonly name: string, readonly values: () => (string | File)[] }} Input */

let count = 0;

const isBinary = (schema) => schema.format === 'binary';

/** A control with its label: values by line where the schema takes a list. */
export function inputFor({ name, schema: given, required = false, description }) {
  const schema = resolved(given);
  const isList = [schema.type].flat().includes('array');
  const item = isList ? resolved(schema.items ?? {}) : schema;
  const id = `input-${++count}`;
  const control = controlFor(id, item, isList, required);
  const said = [description ?? schema.description, limitsOf(schema), isList ? 'one in each line' : '']
    .filter(Boolean)
    .join(' · ');
  const note = said === '' ? undefined : make('div', { class: 'soft', id: `${id}-note` }, said);
  if (note) control.setAttribute('aria-describedby', note.id);
  const label = make('label', { for: id }, make('code', {}, name), required ? ' *' : '');
  const row = make(
    'div',
    { class: 'field' },
    make('div', {}, label, make('div', { class: 'type' }, typeOf(given))),
    make('div', {}, control, note),
  );
  const values = () => {
    if (control.files) return [...control.files];
    const lines = isList ? control.value.split('\n') : [control.value];
    return lines.filter((line) => line !== '');
  };
  return { row, name, values };
}

function controlFor(id, item, isList, required) {
  if (isBinary(item)) return make('input', { id, type: 'file', multiple: isList, required });
  if (isList) return make('textarea', { id, required, rows: 3 });
  const choices = item.type === 'boolean' ? ['true', 'false'] : item.enum;
  if (!choices) return make('input', { id, required, autocomplete: 'off' });
  return make(
    'select',
    { id, required },
    make('option', { value: '' }, ''),
    ...choices.map((choice) => make('option', {}, String(choice))),
  );
}

/** The body of a request: text for JSON, a control for each field of a form. `read` gives what `fetch` takes. */
export function bodyInput(content) {
  const types = Object.keys(content);
  const place = make('div');
  let read = () => undefined;
  const choose = (type) => {
    const { schema = {} } = content[type];
    const isForm = type.startsWith('multipart/') || type.endsWith('urlencoded');
    const made = isForm ? formBody(schema, type) : textBody(schema, type);
    read = made.read;
    place.replaceChildren(...made.rows);
  };
  choose(types[0]);
  const id = `input-${++count}`;
  const select = make(
    'select',
    { id, change: () => choose(select.value) },
    ...types.map((type) => make('option', {}, type)),
  );
  const typeRow = make(
    'div',
    { class: 'field' },
    make('label', { for: id }, 'Content-Type'),
    types.length > 1 ? select : make('code', {}, types[0]),
  );
  if (types.length === 1) typeRow.querySelector('label').removeAttribute('for');
  return { rows: [typeRow, place], read: () => read() };
}

function formBody(schema, type) {
  const inputs = propertiesOf(schema).map(inputFor);
  const read = () => {
    const form = type.startsWith('multipart/') ? new FormData() : new URLSearchParams();
    for (const { name, values } of inputs) for (const value of values()) form.append(name, value);
    return { body: form };
  };
  return { rows: inputs.map(({ row }) => row), read };
}

function textBody(schema, type) {
  const isJson = type.includes('json');
  const id = `input-${++count}`;
  const control = make('textarea', { id, spellcheck: 'false' });
  if (isJson) control.value = JSON.stringify(exampleOf(schema), null, 2) ?? '';
  const read = () =>
    control.value === '' ? {} : { body: control.value, headers: isJson ? { 'content-type': type } : {} };
  const label = make('label', { for: id }, 'Body');
  const told = isDeep(schema)
    ? make('details', {}, make('summary', { class: 'type' }, typeOf(schema)), showSchema(schema))
    : make('div', { class: 'type' }, typeOf(schema));
  return { rows: [make('div', { class: 'field' }, label, make('div', {}, control, told))], read };
}
