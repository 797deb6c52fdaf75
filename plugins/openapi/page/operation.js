import { make, text } from './dom.js';
import { bodyInput, inputFor } from './inputs.js';
import { send, targetOf } from './request.js';
import { isDeep, resolved, showSchema, typeOf } from './schema.js';

/** Credentials that were typed, by name of the header or parameter: kept while the page is open. */
const credentials = new Map();

/** An operation: what it takes, what it answers, and a form that sends a request. */
export function showOperation({ path, method, operation }, schemes) {
  const parameters = (operation.parameters ?? []).map(resolved);
  const needed = credentialsOf(operation, schemes);
  return [
    make(
      'h2',
      { class: operation.deprecated ? 'gone' : undefined },
      operation.summary ?? operation.operationId,
    ),
    make(
      'p',
      { class: 'path' },
      make('span', { class: `method ${method}` }, method.toUpperCase()),
      ' ',
      path,
    ),
    operation.deprecated ? make('p', { class: 'soft' }, 'Deprecated') : undefined,
    text(operation.description),
    securityNote(operation),
    requestForm(path, method, operation, parameters, needed),
    make('h3', {}, 'Responses'),
    ...Object.entries(operation.responses ?? {}).map(showResponse),
  ].filter((node) => node !== undefined);
}

function securityNote({ security = [] }) {
  if (security.length === 0) return undefined;
  const names = security.map((one) => Object.keys(one).join(' and ')).join(', or ');
  return make('p', { class: 'soft' }, `Needs ${names}`);
}

/** Headers and query parameters that carry credentials. Cookies are the browser's own. */
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
      make('span', { class: 'type' }, typeOf(schema)),
      isDeep(schema) ? showSchema(schema) : undefined,
    ),
  );
  const title = make('span', {}, make('span', { class: 'status' }, status), ` ${description ?? ''}`);
  if (types.length === 0) return make('div', { class: 'field' }, title);
  return make(
    'details',
    { class: 'field', open: status.startsWith('2') },
    make('summary', {}, title),
    ...types,
  );
}
