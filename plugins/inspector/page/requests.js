import { columns } from './columns.js';
import { ask, clock, code, Filter, facts, make, method, milliseconds } from './dom.js';
import { failureView } from './failure.js';
import { answerView } from './try.js';

const wanted = new Filter();

const stateOf = ({ status, duration, isAborted }) =>
  status !== undefined ? String(status) : isAborted || duration !== undefined ? 'gone' : '…';

const tone = ({ status = 0, isAborted, error }) =>
  error || status >= 500 ? 'bad' : isAborted || status >= 400 ? 'warn' : status >= 300 ? 'soft' : 'good';

/** The list of requests, and one of them beside it. */
export function showRequests(main, state, detail) {
  const filter = wanted.input(() => fill(current));
  const { list, count, beside, frame } = columns('Requests', 'The request', filter);
  let current = state;
  const id = Number(detail) || undefined;

  const fill = ({ requests }) => {
    const shown = requests.filter((one) => {
      return wanted.matches(
        `${one.method} ${one.target} ${one.route ?? ''} ${stateOf(one)} ${one.error ?? ''}`,
      );
    });
    count.textContent = `${shown.length} of the last ${requests.length}`;
    list.replaceChildren(...shown.map((one) => row(one, one.id === id)));
  };
  fill(state);
  main.replaceChildren(frame);
  const read = () => showRequest(beside, id);
  if (id) read();
  else beside.replaceChildren(start(state));
  return (next, what) => {
    const before = current.requests.find((one) => one.id === id);
    current = { ...next };
    fill(next);
    // It was running, and has ended.
    if (what === 'requests' && id && before?.duration === undefined) read();
    if (!id) beside.replaceChildren(start(next));
  };
}

const start = ({ requests, failures }) =>
  make(
    'div',
    {},
    make(
      'p',
      { class: 'soft' },
      requests.length === 0
        ? 'Ask the app for something: its requests appear here.'
        : 'Choose a request to see its time, log lines and bodies.',
    ),
    failures.length > 0 && make('h2', {}, 'Last errors'),
    failures
      .slice(0, 5)
      .map((failure) =>
        make(
          'article',
          {},
          make('p', { class: 'soft' }, `${failure.where} at ${clock(failure.at)}`),
          failureView(failure),
        ),
      ),
  );

const row = (one, isCurrent) =>
  make(
    'li',
    {},
    make(
      'a',
      { href: `#requests/${one.id}`, 'aria-current': isCurrent ? 'true' : undefined },
      make('span', { class: `status ${tone(one)}` }, stateOf(one)),
      method(one.method),
      make('span', { class: 'path' }, one.target, one.error && make('small', { class: 'bad' }, one.error)),
      make('span', { class: 'time' }, one.duration === undefined ? '' : milliseconds(one.duration)),
    ),
  );

async function showRequest(beside, id) {
  try {
    const one = await ask(`/_fwk/request?id=${id}`);
    beside.replaceChildren(...requestView(one));
  } catch (failure) {
    beside.replaceChildren(make('p', { class: 'soft' }, `${failure.message}.`));
  }
}

function requestView(one) {
  const { file, ip, headers, body, answer, layers, lines, failure, isRepeatable } = one;
  const result = make('div', { role: 'status', 'aria-label': 'The response' });
  const again = async () => {
    result.replaceChildren(make('p', {}, 'Sending …'));
    try {
      result.replaceChildren(...answerView(await ask('/_fwk/again', { id: one.id })));
    } catch (thrown) {
      result.replaceChildren(make('p', { class: 'bad' }, `${thrown.message}.`));
    }
  };
  return [
    make('h2', {}, method(one.method), ' ', one.target),
    facts([
      ['Status', make('span', { class: tone(one) }, stateOf(one))],
      ['Time', milliseconds(one.duration)],
      [
        'Route',
        one.route ? make('a', { href: `#routes/${encodeURIComponent(one.route)}` }, one.route) : 'none',
      ],
      ['File', file],
      ['At', `${clock(one.at)}, from ${ip}`],
    ]),
    make(
      'p',
      { class: 'actions' },
      isRepeatable
        ? make('button', { class: 'main', type: 'button', click: again }, 'Run again')
        : make('span', { class: 'soft' }, 'Its body is not kept whole, so that it cannot be run again.'),
    ),
    result,
    failure && failureView(failure),
    layers.length > 0 && [make('h3', {}, 'Time per layer'), layerTable(one)],
    lines.length > 0 && [
      make('h3', {}, 'Log'),
      make(
        'ol',
        { class: 'log' },
        lines.map(({ level, text, at }) =>
          make('li', { class: level }, make('span', { class: 'soft' }, `${clock(at)} ${level} `), text),
        ),
      ),
    ],
    make('h3', {}, 'Request'),
    headerList(headers),
    bodyView(body, 'Body of the request'),
    make('h3', {}, 'Response'),
    headerList(answer.headers),
    bodyView(answer.body, 'Body of the response'),
  ]
    .flat()
    .filter(Boolean);
}

/** Bars from when a layer began until it ended. */
function layerTable({ layers, duration = 0 }) {
  const whole = Math.max(duration, ...layers.map(({ from, time = 0 }) => from + time), 0.01);
  const bar = (from, width) => {
    const made = make('span', { class: 'bar', 'aria-hidden': true }, make('span', {}));
    // Set from a script: a style attribute would need a weaker policy.
    made.firstChild.style.marginLeft = `${(100 * from) / whole}%`;
    made.firstChild.style.width = `${Math.max(0.5, (100 * width) / whole)}%`;
    return made;
  };
  const head = ['Layer', 'Whole', 'Itself', 'When'].map((name) => make('th', { scope: 'col' }, name));
  return make(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Time per layer' },
    make(
      'table',
      { class: 'layers' },
      make('thead', {}, make('tr', {}, head)),
      make(
        'tbody',
        {},
        layers.map(({ name, from, time, own }) =>
          make(
            'tr',
            {},
            make('th', { scope: 'row' }, name),
            make('td', {}, milliseconds(time)),
            make('td', {}, milliseconds(own)),
            make('td', { class: 'when' }, bar(from, time ?? whole - from)),
          ),
        ),
      ),
    ),
  );
}

export const headerList = (headers) =>
  make(
    'details',
    {},
    make('summary', {}, headers.length === 1 ? '1 header' : `${headers.length} headers`),
    facts(headers),
  );

export const bodyView = (body, name) =>
  body === undefined
    ? make('p', { class: 'soft' }, 'No body.')
    : make(
        'div',
        {},
        body.note && make('p', { class: 'soft' }, `${body.note}.`),
        body.text !== undefined && code(body.text, name),
      );
