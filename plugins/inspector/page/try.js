import { ask, code, make, milliseconds } from './dom.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** What somebody has typed is there when they come back. */
const typed = { method: 'GET', path: '/', headers: '', body: '' };

/** Take a route into the form: what is to be filled in stands in braces. */
export function fillIn(method, path, body) {
  const plain = path.replace(/[:*]([^/]+)/g, '{$1}');
  Object.assign(typed, { method: METHODS.includes(method) ? method : 'GET', path: plain, body: body ?? '' });
}

/** The form by which requests are tried. */
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
    result.replaceChildren(make('p', {}, 'Sending …'));
    try {
      const answer = await ask('/_fwk/call', {
        method: typed.method,
        path: encoded(typed.path),
        headers: headersOf(typed.headers),
        ...(typed.body === '' ? {} : { body: typed.body }),
      });
      result.replaceChildren(...answerView(answer));
    } catch (failure) {
      result.replaceChildren(make('p', { class: 'bad' }, `${failure.message}.`));
    }
  };
  const form = make(
    'form',
    {
      submit: send,
      keydown: (event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send(event);
      },
    },
    make(
      'div',
      { class: 'target' },
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
    ),
    field('headers', 'Headers, one a line: name: value', text('headers', 3)),
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
        ' The cookies of this browser go along.',
      ),
    ),
  );
  main.replaceChildren(make('div', { class: 'narrow' }, make('h2', {}, 'Try a request'), form, result));
  return undefined;
}

/** What a URL cannot have, as a browser sends it; `%` is somebody's own. */
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
      if (colon < 1) throw new Error(`"${line.trim()}" is no header: write name: value`);
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}

/** What came of a request. */
export function answerView({ status, statusText, headers, body, duration, cut, request }) {
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good';
  return [
    make(
      'p',
      { class: 'answer' },
      make('strong', { class: tone }, `${status} ${statusText}`),
      ` in ${milliseconds(duration)}`,
      request && [' · ', make('a', { href: `#requests/${request}` }, `request ${request}`)],
    ),
    make(
      'details',
      {},
      make('summary', {}, `${headers.length} headers`),
      make(
        'pre',
        { tabindex: 0, role: 'group', 'aria-label': 'Headers' },
        headers.map(([name, value]) => `${name}: ${value}`).join('\n'),
      ),
    ),
    body === undefined && make('p', { class: 'soft' }, 'No body.'),
    body?.note && make('p', { class: 'soft' }, `${body.note}.`),
    body?.text !== undefined && code(body.text, 'Body'),
    cut && make('p', { class: 'soft' }, `${cut}.`),
  ].filter(Boolean);
}
