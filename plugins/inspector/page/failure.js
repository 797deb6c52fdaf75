import { make, code as pre } from '../../http/page-kit/dom.js';

const explainCommand = (code) => (code ? make('code', {}, `npx fwk docs ${code}`) : undefined);

export function failureView({ traces, code }) {
  return make(
    'div',
    { class: 'failure' },
    explainCommand(code),
    traces.map(({ headline, excerpt, frames }, index) => [
      make('h3', { class: 'text bad' }, index === 0 ? headline : `Caused by ${headline}`),
      excerpt && sourceView(excerpt),
      frames.length > 0 &&
        make(
          'details',
          {},
          make('summary', {}, 'Stack'),
          make(
            'ol',
            { class: 'stack' },
            frames.map(({ text, origin }) => make('li', { class: origin }, text)),
          ),
        ),
    ]),
  );
}

function sourceView({ file, line, column, rows }) {
  const place = `${file}:${line}:${column}`;
  const drawn = rows.map(({ number, text }) =>
    make(number === line ? 'mark' : 'span', {}, make('i', { 'aria-hidden': true }, number), text || ' '),
  );
  const source = pre(drawn, `Source of ${place}`);
  source.className = 'source';
  return [make('p', { class: 'place' }, place), source];
}

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
        excerpt && pre(excerpt, `Source of ${file ?? 'it'}`),
      ),
    ),
  );
