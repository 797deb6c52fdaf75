import { code, make, soft, text, method as verb } from '../../http/page-kit/dom.js';
import { exampleOf, isDeep, limitsOf, propertiesOf, resolved, showSchema, typeOf } from './schema.js';

/** Typed credentials, by the name of the header or parameter, stored while the page is open. */
const credentials = new Map();

/** An operation: its inputs, its responses, and a form that sends a request. */
export function showOperation({ path, method, operation }, schemes) {
  const parameters = (operation.parameters ?? []).map(resolved);
  const needed = credentialsOf(operation, schemes);
  return [
    make('h2', { class: operation.deprecated && 'gone' }, operation.summary ?? operation.operationId),
    make('p', { class: 'path' }, verb(method), ' ', path),
    operation.deprecated && soft('Deprecated'),
    text(operation.description),
    securityNote(operation),
    requestForm(path, method, operation, parameters, needed),
    make('h3', {}, 'Responses'),
    ...Object.entries(operation.responses ?? {}).map(showResponse),
  ];
}

function securityNote({ security = [] }) {
  if (security.length === 0) return undefined;
  const names = security.map((one) => Object.keys(one).join(' and ')).join(', or ');
  return soft(`Needs ${names}`);
}

/** Headers and query parameters that contain credentials. The browser handles cookies. */
function credentialsOf({ security = [] }, schemes) {
  const named = new Set(security.flatMap((one) => Object.keys(one)));
  return [...named].flatMap((key) => {
    const scheme = Object.hasOwn(schemes, key) ? resolved(schemes[key]) : {};
    if (scheme.type === 'apiKey' && scheme.in !== 'cookie')
      return { key, name: scheme.name, in: scheme.in, description: scheme.description };
    if (scheme.type === 'apiKey') return [];
    const prefix = scheme.scheme?.toLowerCase() === 'basic' ? 'Basic …' : 'Bearer …';
    return { key, name: 'Authorization', in: 'header', description: scheme.description ?? prefix };
  });
}

function requestForm(path, method, operation, parameters, needed) {
  const all = [...parameters, ...needed.map((one) => ({ ...one, schema: { type: 'string' } }))];
  const inputs = all.map(inputFor);
  for (const [index, { key }] of needed.entries()) remember(key, inputs[parameters.length + index].row);
  const content = resolved(operation.requestBody).content;
  const body = content && bodyInput(content);
  const output = make('div', { role: 'status', 'aria-label': 'The response', id: 'answer' });
  let running;

  const submit = async (event) => {
    event.preventDefault();
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    stop.hidden = false;
    const { url, headers } = targetOf(path, all, inputs);
    const sent = body?.read() ?? {};
    const init = { ...sent, method: method.toUpperCase(), headers: { ...sent.headers, ...headers }, signal };
    await send(url, init, output);
    if (running.signal === signal) stop.hidden = true;
  };
  const stop = make('button', { type: 'button', hidden: true, click: () => running.abort() }, 'Stop');
  const form = make(
    'form',
    {
      submit,
      keydown: (event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
      },
    },
    make('h3', {}, 'Request'),
    ...inputs.map(({ row }) => row),
    ...(body?.rows ?? []),
    make(
      'div',
      { class: 'actions' },
      make('button', { class: 'main' }, 'Send'),
      stop,
      make('span', { class: 'soft' }, 'Ctrl + Enter'),
    ),
    output,
  );
  return form;
}

function remember(key, row) {
  const control = row.querySelector('input');
  control.value = credentials.get(key) ?? '';
  control.addEventListener('input', () => credentials.set(key, control.value));
}

function showResponse([status, given]) {
  const { description, content = {} } = resolved(given);
  const types = Object.entries(content).map(([type, { schema = {} }]) =>
    make(
      'div',
      {},
      make('code', {}, type),
      ' ',
      make('span', { class: 'soft path' }, typeOf(schema)),
      isDeep(schema) ? showSchema(schema) : undefined,
    ),
  );
  const title = make('span', {}, make('strong', {}, status), ` ${description ?? ''}`);
  if (types.length === 0) return make('div', { class: 'item' }, title);
  return make(
    'details',
    { class: 'item', open: status.startsWith('2') },
    make('summary', {}, title),
    ...types,
  );
}

/** @typedef {{ readonly row: Node, readonly name: string, readonly values: () => (string | File)[] }} Input */

let count = 0;

const isBinary = (schema) => schema.format === 'binary';

/** A control with its label: one value per line if the schema accepts a list. */
function inputFor({ name, schema: given, required = false, description }) {
  const schema = resolved(given);
  const isList = [schema.type].flat().includes('array');
  const item = isList ? resolved(schema.items ?? {}) : schema;
  const id = `input-${++count}`;
  const control = controlFor(id, item, isList, required);
  const said = [description ?? schema.description, limitsOf(schema), isList ? 'one per line' : '']
    .filter(Boolean)
    .join(' · ');
  const note = said === '' ? undefined : make('div', { class: 'soft', id: `${id}-note` }, said);
  if (note) control.setAttribute('aria-describedby', note.id);
  const label = make('label', { for: id }, make('code', {}, name), required ? ' *' : '');
  const row = make(
    'div',
    { class: 'field' },
    make('div', {}, label, make('div', { class: 'soft path' }, typeOf(given))),
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

/** The body of a request: text for JSON, a control per form field. `read` returns `fetch`'s arguments. */
function bodyInput(content) {
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
  const hint = isDeep(schema)
    ? make('details', {}, make('summary', { class: 'soft path' }, typeOf(schema)), showSchema(schema))
    : make('div', { class: 'soft path' }, typeOf(schema));
  return { rows: [make('div', { class: 'field' }, label, make('div', {}, control, hint))], read };
}

/** The maximum number of characters of a response that are shown: a stream may never end. */
const MAX_SHOWN = 200_000;

/** The base URL of the API: the page is two segments below it. */
const base = new URL(document.body.dataset.root, location.href);

const encode = (value, keepsSlashes) =>
  keepsSlashes ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value);

/** The URL of an operation, and the headers among its parameters. */
function targetOf(path, parameters, inputs) {
  const url = new URL(base);
  const headers = {};
  let filled = path;
  for (const [index, { name, in: place, 'x-catch-all': keepsSlashes }] of parameters.entries()) {
    const values = inputs[index].values();
    if (place === 'path') filled = filled.replace(`{${name}}`, encode(values[0] ?? '', keepsSlashes));
    if (place === 'query') for (const value of values) url.searchParams.append(name, value);
    if (place === 'header' && values.length > 0) headers[name] = values.join(', ');
  }
  url.pathname = base.pathname.replace(/\/$/, '') + filled;
  return { url, headers };
}

/** Sends a request and shows the response in `output` as it arrives. */
async function send(url, init, output) {
  const begun = performance.now();
  output.replaceChildren(soft(`${init.method} ${url.pathname}${url.search} …`));
  try {
    const response = await fetch(url, init);
    const took = Math.round(performance.now() - begun);
    const line = make(
      'p',
      {},
      make('strong', {}, `${response.status} ${response.statusText}`),
      make('span', { class: 'soft' }, ` · ${took} ms · ${url.pathname}${url.search}`),
    );
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    const folded = make('details', {}, make('summary', {}, 'Headers'), code(headers, 'Headers'));
    output.replaceChildren(line, folded);
    await showBody(response, output);
  } catch (failure) {
    const stopped = init.signal.aborted ? 'Stopped.' : `The request failed: ${failure.message}.`;
    output.append(make('p', {}, stopped));
  }
}

async function showBody(response, output) {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('image/')) {
    const picture = URL.createObjectURL(await response.blob());
    output.append(
      make('img', { src: picture, alt: 'The response', load: () => URL.revokeObjectURL(picture) }),
    );
    return;
  }
  if (!response.body) return;
  const shown = code('', 'Body of the response');
  output.append(shown);
  let text = '';
  const isStream = type.startsWith('text/event-stream');
  for await (const chunk of chunksOf(response.body.pipeThrough(new TextDecoderStream()))) {
    text += chunk;
    if (text.length > MAX_SHOWN) break;
    if (isStream) shown.textContent = text;
  }
  shown.textContent = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)} …` : pretty(text, type);
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(stream) {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    reader.cancel().catch(() => {});
  }
}

function pretty(text, type) {
  if (!type.includes('json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
