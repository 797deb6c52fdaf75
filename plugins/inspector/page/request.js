import { ask, clock, code, facts, make, method, milliseconds } from './dom.js';
import { failureView } from './failure.js';
import { answerView } from './try.js';

export const stateOf = ({ status, duration, isAborted }) =>
  status !== undefined ? String(status) : isAborted || duration !== undefined ? 'gone' : '…';

export const tone = ({ status = 0, isAborted, error }) =>
  error || status >= 500 ? 'bad' : isAborted || status >= 400 ? 'warn' : status >= 300 ? 'soft' : 'good';

/** All that is known of one request. */
export function requestView(one) {
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
