import { Filter, facts, make, method, soft, table } from '../../http/page-kit/dom.js';
import { clock, milliseconds, tell } from './ask.js';
import { browse, keptList } from './browse.js';
import { failureView } from './failure.js';
import { bodyView, showAnswer } from './try.js';

const filter = new Filter();

/** The requests of a paused list: a list that keeps moving cannot be read. */
let frozen;

export function showRequests(main, state, chosen) {
  let newest = state.requests;
  const pause = make(
    'button',
    {
      type: 'button',
      'aria-pressed': frozen !== undefined,
      click: () => {
        frozen = frozen ? undefined : newest;
        pause.setAttribute('aria-pressed', String(frozen !== undefined));
        view.refill();
      },
    },
    'Pause',
  );
  const view = browse(main, state, chosen, {
    names: 'Requests',
    name: 'The request',
    filter,
    above: pause,
    items: ({ requests }) => {
      newest = requests;
      return frozen ?? requests;
    },
    keyOf: ({ id }) => String(id),
    textOf: (one) => `${one.method} ${one.target} ${one.route ?? ''} ${stateOf(one)} ${one.error ?? ''}`,
    summary: (shown, items) => {
      const newer = (newest[0]?.id ?? 0) - (items[0]?.id ?? 0);
      const more = newer > 0 ? `, ${newer} newer ${newer === 1 ? 'is' : 'are'} not listed` : '';
      return `${shown.length} of the last ${items.length}${more}`;
    },
    href: (id) => `#requests/${id}`,
    inside: row,
    path: (id) => `/_fwk/request?id=${id}`,
    details: requestView,
    keepsGone: true,
    start: startView,
  });
  return view;
}

function startView(beside) {
  const advice = soft();
  const title = make('h2', {}, 'Last errors');
  const errors = make('div');
  const fill = keptList(
    errors,
    ({ at, where, traces }) => JSON.stringify([at, where, traces[0]?.headline]),
    (failure) => make('article', {}, soft(`${failure.where} at ${clock(failure.at)}`), failureView(failure)),
  );
  beside.replaceChildren(advice, title, errors);
  return ({ requests, failures }) => {
    tell(
      advice,
      requests.length === 0
        ? 'Send a request to the app: it appears here.'
        : 'Select a request to see its time, log lines and bodies.',
    );
    title.hidden = failures.length === 0;
    fill(failures.slice(0, 5));
  };
}

const row = (one) => [
  make('span', { class: `status ${tone(one)}` }, stateOf(one)),
  method(one.method),
  make(
    'span',
    { class: 'path' },
    firstLine(one.target),
    one.error && make('small', { class: 'bad' }, firstLine(one.error)),
  ),
  make('small', {}, one.duration === undefined ? '' : milliseconds(one.duration)),
];

const firstLine = (text) => {
  const [line] = text.split('\n', 1);
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
};

function requestView(one) {
  const { file, ip, headers, body, answer, layers, lines, moreLines, failure, isRepeatable } = one;
  const result = make('div', { role: 'status', 'aria-label': 'The response' });
  const again = () => showAnswer(result, '/_fwk/again', () => ({ id: one.id }));
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
    isRepeatable
      ? make(
          'p',
          { class: 'actions' },
          make('button', { class: 'main', type: 'button', click: again }, 'Run again'),
        )
      : soft('Its body was not stored completely, so it cannot be sent again.'),
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
    moreLines > 0 &&
      soft(
        `${lines.length > 0 ? `The first ${lines.length} lines of the log: ` : ''}${moreLines} more were not stored.`,
      ),
    make('h3', {}, 'Request'),
    headerList(headers),
    bodyView(body, 'Body of the request'),
    make('h3', {}, 'Response'),
    headerList(answer.headers),
    bodyView(answer.body, 'Body of the response'),
  ];
}

function layerTable({ layers, duration = 0 }) {
  const whole = Math.max(duration, ...layers.map(({ from, time = 0 }) => from + time), 0.01);
  const bar = (from, width) => {
    const made = make('div', { class: 'bar', 'aria-hidden': true });
    // Set by script: a style attribute would need a weaker Content-Security-Policy.
    made.style.marginLeft = `${(100 * from) / whole}%`;
    made.style.width = `${Math.max(0.5, (100 * width) / whole)}%`;
    return made;
  };
  const rows = layers.map(({ name, from, time, own }) => [
    make('code', {}, name),
    milliseconds(time),
    milliseconds(own),
    bar(from, time ?? whole - from),
  ]);
  return table('Time per layer', ['Layer', 'Whole', 'Itself', 'When'], rows, { class: 'layers' });
}

const headerList = (headers) =>
  make(
    'details',
    {},
    make('summary', {}, headers.length === 1 ? '1 header' : `${headers.length} headers`),
    facts(headers),
  );

const stateOf = ({ status, duration, isAborted }) =>
  status !== undefined ? String(status) : isAborted || duration !== undefined ? 'gone' : '…';

const tone = ({ status = 0, isAborted, error }) =>
  error || status >= 500 ? 'bad' : isAborted || status >= 400 ? 'warn' : status >= 300 ? 'soft' : 'good';
