import { ask, clock, code, Filter, facts, make, method, milliseconds, tell } from './dom.js';
import { failureView } from './failure.js';
import { columns, keptList, rows } from './table.js';
import { answerView } from './try.js';

const wanted = new Filter();

/** Whether the list stands still: one that always moves cannot be read. */
let isPaused = false;

/** The list of requests, and one of them beside it. */
export function showRequests(main, state, chosen) {
  const filter = wanted.input(() => fill());
  const pause = make(
    'button',
    { type: 'button', 'aria-pressed': isPaused, click: () => hold(!isPaused) },
    'Pause',
  );
  const { list, count, beside, frame } = columns('Requests', 'The request', filter, pause);
  const fillRows = rows(list, row);
  const detail = besideOf(beside);
  let id = Number(chosen) || undefined;
  let current = state;
  let listed = state;

  const fill = () => {
    if (!isPaused) listed = current;
    const { requests } = listed;
    const shown = requests.filter((one) =>
      wanted.matches(`${one.method} ${one.target} ${one.route ?? ''} ${stateOf(one)} ${one.error ?? ''}`),
    );
    const newer = isPaused ? (current.requests[0]?.id ?? 0) - (requests[0]?.id ?? 0) : 0;
    const more = newer > 0 ? `, ${newer} newer ${newer === 1 ? 'is' : 'are'} not listed` : '';
    tell(count, `${shown.length} of the last ${requests.length}${more}`);
    fillRows(shown, `#requests/${id}`);
  };
  const hold = (isHeld) => {
    isPaused = isHeld;
    pause.setAttribute('aria-pressed', String(isHeld));
    fill();
  };
  fill();
  main.replaceChildren(frame);
  detail.show(id, current);
  return {
    update(next) {
      current = { ...next };
      fill();
      detail.show(id, current);
    },
    choose(given) {
      id = Number(given) || undefined;
      fill();
      detail.show(id, current);
    },
  };
}

/** What is beside the list: one request, or what there is to say where none is chosen. */
function besideOf(beside) {
  /** What has been asked for: the request as it was listed then. */
  let asked;
  let start;
  const read = async (id, looks) => {
    const mine = { id, at: looks?.at, looks: JSON.stringify(looks) };
    const before = asked;
    asked = mine;
    let nodes;
    try {
      nodes = requestView(await ask(`/_fwk/request?id=${id}`));
    } catch (failure) {
      // What has been read stays, when the server keeps it no longer.
      if (before?.id !== id) nodes = [make('p', { class: 'soft' }, `${failure.message}.`)];
    }
    // Another may have been chosen meanwhile.
    if (nodes && asked === mine) beside.replaceChildren(...nodes);
  };
  return {
    show(id, state) {
      if (!id) {
        start = asked || !start ? startView(beside) : start;
        asked = undefined;
        return start(state);
      }
      const listed = state.requests.find((one) => one.id === id);
      if (asked?.id !== id) return void read(id, listed);
      // A server that has started again counts from the beginning: this is another one.
      if (!listed || (asked.at !== undefined && asked.at !== listed.at)) return;
      if (asked.looks !== JSON.stringify(listed)) void read(id, listed);
    },
  };
}

/** Advice, and the last errors. */
function startView(beside) {
  const advice = make('p', { class: 'soft' });
  const title = make('h2', {}, 'Last errors');
  const errors = make('div');
  const fill = keptList(
    errors,
    ({ at, where, traces }) => JSON.stringify([at, where, traces[0]?.headline]),
    (failure) =>
      make(
        'article',
        {},
        make('p', { class: 'soft path' }, `${failure.where} at ${clock(failure.at)}`),
        failureView(failure),
      ),
  );
  beside.replaceChildren(advice, title, errors);
  return ({ requests, failures }) => {
    tell(
      advice,
      requests.length === 0
        ? 'Ask the app for something: its requests appear here.'
        : 'Choose a request to see its time, log lines and bodies.',
    );
    title.hidden = failures.length === 0;
    fill(failures.slice(0, 5));
  };
}

const row = (one) => ({
  href: `#requests/${one.id}`,
  look: JSON.stringify(one),
  inside: () => [
    make('span', { class: `status ${tone(one)}` }, stateOf(one)),
    method(one.method),
    make(
      'span',
      { class: 'path' },
      firstLine(one.target),
      one.error && make('small', { class: 'bad' }, firstLine(one.error)),
    ),
    make('span', { class: 'time' }, one.duration === undefined ? '' : milliseconds(one.duration)),
  ],
});

/** The beginning of a text, which is whole beside the list. */
const firstLine = (text) => {
  const [line] = text.split('\n', 1);
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
};

/** All that is known of one request. */
function requestView(one) {
  const { file, ip, headers, body, answer, layers, lines, moreLines, failure, isRepeatable } = one;
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
    moreLines > 0 &&
      make(
        'p',
        { class: 'soft' },
        `${lines.length > 0 ? `The first ${lines.length} lines of the log: ` : ''}${moreLines} more are not kept.`,
      ),
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

const headerList = (headers) =>
  make(
    'details',
    {},
    make('summary', {}, headers.length === 1 ? '1 header' : `${headers.length} headers`),
    facts(headers),
  );

const bodyView = (body, name) =>
  body === undefined
    ? make('p', { class: 'soft' }, 'No body.')
    : make(
        'div',
        {},
        body.note && make('p', { class: 'soft' }, `${body.note}.`),
        body.text !== undefined && code(body.text, name),
      );

const stateOf = ({ status, duration, isAborted }) =>
  status !== undefined ? String(status) : isAborted || duration !== undefined ? 'gone' : '…';

const tone = ({ status = 0, isAborted, error }) =>
  error || status >= 500 ? 'bad' : isAborted || status >= 400 ? 'warn' : status >= 300 ? 'soft' : 'good';
