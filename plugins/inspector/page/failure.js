import { make } from './dom.js';

/** The command that explains an error code. */
const explainCommand = (code) => (code ? make('code', {}, `npx fwk docs ${code}`) : undefined);

/** An error with its source and stack. */
export function failureView({ traces, code }) {
  return make(
    'div',
    { class: 'failure' },
    explainCommand(code),
    traces.flatMap(({ headline, source, stack }, index) => [
      make('h3', { class: 'headline' }, index === 0 ? headline : `Caused by ${headline}`),
      source && sourceView(source),
      stack.length > 0 &&
        make(
          'details',
          {},
          make('summary', {}, 'Stack'),
          make(
            'ol',
            { class: 'stack' },
            stack.map(({ text, origin }) => make('li', { class: origin }, text)),
          ),
        ),
    ]),
  );
}

const sourceView = ({ place, line, rows }) => [
  make('p', { class: 'place' }, place),
  make(
    'pre',
    { class: 'source', tabindex: 0, role: 'group', 'aria-label': `Source of ${place}` },
    rows.map(({ number, text }) =>
      make(number === line ? 'mark' : 'span', {}, make('i', { 'aria-hidden': true }, number), text || ' '),
    ),
  ),
];

/** What keeps a version from being served. */
export const problemList = (problems) =>
  make(
    'ul',
    { class: 'problems' },
    problems.map(({ file, message, excerpt, code }) =>
      make(
        'li',
        {},
        file && make('strong', {}, `${file}: `),
        message,
        code && ' ',
        explainCommand(code),
        excerpt &&
          make('pre', { tabindex: 0, role: 'group', 'aria-label': `Source of ${file ?? 'it'}` }, excerpt),
      ),
    ),
  );
