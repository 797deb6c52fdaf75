import { code, make, soft } from '../../http/page-kit/dom.js';
import { ask, milliseconds } from './ask.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** The user's input is preserved when they return to the view. */
const typed = { method: 'GET', path: '/', headers: '', body: '' };

export function fillIn(method, path, body = '') {
  const plain = path.replace(/[:*]([^/]+)/g, '{$1}');
  Object.assign(typed, { method: METHODS.includes(method) ? method : 'GET', path: plain, body });
}

/** The form for trying requests. */
export function showTry(main) {
  const result = make('div', { role: 'status', 'aria-label': 'The response' });
  const field = (name, label, control) => {
    control.value = typed[name];
    control.addEventListener('input', () => {
      typed[name] = control.value;
    });
    return make('div', { class: 'field' }, make('label', { for: control.id }, label), control);
  };
  const text = (name, rows) =>
    make('textarea', { id: `try-${name}`, rows, spellcheck: 'false', autocapitalize: 'off' });
  const send = async (event) => {
    event?.preventDefault();
    await showAnswer(result, '/_fwk/call', () => ({
      method: typed.method,
      path: encoded(typed.path),
      headers: headersOf(typed.headers),
      ...(typed.body === '' ? {} : { body: typed.body }),
    }));
  };
  const form = make(
    'form',
    {
      submit: send,
      keydown: (event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send(event);
      },
    },
    field(
      'method',
      'Method',
      make(
        'select',
        { id: 'try-method' },
        METHODS.map((name) => make('option', {}, name)),
      ),
    ),
    field(
      'path',
      'Path',
      make('input', { id: 'try-path', required: true, autocomplete: 'off', spellcheck: 'false' }),
    ),
    field('headers', 'Headers, one per line: name: value', text('headers', 3)),
    field('body', 'Body', text('body', 8)),
    make(
      'p',
      { class: 'actions' },
      make('button', { class: 'main', type: 'submit' }, 'Send'),
      make(
        'span',
        { class: 'soft' },
        make('kbd', {}, 'Ctrl'),
        ' ',
        make('kbd', {}, 'Enter'),
        ' The cookies of this browser are sent, too.',
      ),
    ),
  );
  main.replaceChildren(make('div', { class: 'wide' }, make('h2', {}, 'Try a request'), form, result));
}

/** Encodes characters that a URL cannot contain, as a browser does; `%` is left as the user typed it. */
const encoded = (path) =>
  path
    .trim()
    .toWellFormed()
    .replace(/[^\x21-\x7e]+/g, encodeURIComponent);

function headersOf(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      if (colon < 1) throw new Error(`"${line.trim()}" is not a header: write name: value`);
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}

function answerView({ status, statusText, headers, body, duration, cut, request }) {
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good';
  return [
    make(
      'p',
      {},
      make('strong', { class: tone }, `${status} ${statusText}`),
      ` in ${milliseconds(duration)}`,
      request && [' · ', make('a', { href: `#requests/${request}` }, `request ${request}`)],
    ),
    make(
      'details',
      {},
      make('summary', {}, `${headers.length} headers`),
      code(headers.map(([name, value]) => `${name}: ${value}`).join('\n'), 'Headers'),
    ),
    bodyView(body, 'Body'),
    cut && soft(`${cut}.`),
  ];
}

export const bodyView = (body, name) =>
  body === undefined
    ? soft('No body.')
    : [body.note && soft(`${body.note}.`), body.text !== undefined && code(body.text, name)];

/** Send a request through the server at `path`, and show the outcome. `made` returns the data to send. */
export async function showAnswer(result, path, made) {
  result.replaceChildren(make('p', {}, 'Sending …'));
  try {
    result.replaceChildren(make('div', {}, answerView(await ask(path, made()))));
  } catch (failure) {
    result.replaceChildren(make('p', { class: 'bad' }, `${failure.message}.`));
  }
}
