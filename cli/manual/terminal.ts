import { stripVTControlCharacters } from 'node:util';
import kleur from 'kleur';
import { lexer, type Token, type Tokens } from 'marked';
import { followLink, type Manual, type Page } from './pages.js';

/** Columns past which lines are hard to read. */
const MAX_WIDTH = 100;
/** Columns where it is not known how wide the terminal is. */
const USUAL_WIDTH = 80;

/** How a text is drawn: for a page, whose links count from where it is. */
interface Drawing {
  readonly manual: Manual;
  readonly page: Page;
  readonly width: number;
}

/** Markdown of a page as text for a terminal, or for a file: without colours where kleur has none. */
export function draw(manual: Manual, page: Page, markdown: string, columns = USUAL_WIDTH): string {
  const width = Math.max(30, Math.min(columns, MAX_WIDTH));
  return blocks(lexer(markdown), { manual, page, width }).join('\n\n');
}

const blocks = (tokens: readonly Token[], drawing: Drawing): string[] =>
  tokens.map((token) => block(token, drawing)).filter((text) => text !== '');

function block(token: Token, drawing: Drawing): string {
  switch (token.type) {
    case 'heading': {
      const { depth } = token as Tokens.Heading;
      const text = `${'#'.repeat(depth)} ${stripVTControlCharacters(inline(token.tokens, drawing))}`;
      return depth === 1 ? kleur.bold().underline(text) : kleur.bold(text);
    }
    case 'code':
      return indent(highlighted(token as Tokens.Code), '    ');
    case 'list':
      return list(token as Tokens.List, drawing);
    case 'table':
      return table(token as Tokens.Table, drawing);
    case 'blockquote':
      return indent(blocks(token.tokens ?? [], narrower(drawing, 2)).join('\n\n'), kleur.dim('│ '));
    case 'hr':
      return kleur.dim('─'.repeat(Math.min(drawing.width, 40)));
    case 'space':
    case 'html':
    case 'def':
      return '';
    default:
      return wrap(inline(innerOf(token) ?? [token], drawing), drawing.width);
  }
}

/** The end of a line stays within the colour that its beginning has. */
const highlighted = ({ text }: Tokens.Code): string =>
  text
    .split('\n')
    .map((line) => (/^\s*(?:\/\/|#|<!--)/.test(line) ? kleur.dim(line) : kleur.cyan(line)))
    .join('\n');

function list({ items, ordered, start }: Tokens.List, drawing: Drawing): string {
  return items
    .map((item, index) => {
      const mark = ordered ? `${Number(start || 1) + index}. ` : '- ';
      const inner = blocks(item.tokens, narrower(drawing, mark.length)).join('\n');
      return mark + indent(inner, ' '.repeat(mark.length)).slice(mark.length);
    })
    .join('\n');
}

/** Columns side by side where they fit, and else each row as a paragraph of its own. */
function table({ header, rows }: Tokens.Table, drawing: Drawing): string {
  const cells = [header, ...rows].map((row) => row.map((cell) => inline(cell.tokens, drawing)));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => lengthOf(row[column] ?? ''))));
  const total = widths.reduce((sum, width) => sum + width + 2, -2);
  const bold = (row: readonly string[]): string[] => row.map((cell) => kleur.bold(cell));
  if (total <= drawing.width)
    return cells
      .map((row, index) => (index === 0 && row.some((cell) => cell !== '') ? bold(row) : row))
      .map((row) =>
        row
          .map((cell, column) => pad(cell, widths[column] ?? 0))
          .join('  ')
          .trimEnd(),
      )
      .join('\n');
  const [head = [], ...others] = cells;
  return others
    .map(([first = '', ...rest]) => {
      const said = rest.flatMap((cell, index) => {
        if (cell === '') return [];
        const label = rest.length > 1 && head[index + 1] ? `${kleur.dim(`${head[index + 1]}:`)} ` : '';
        return indent(wrap(label + cell, drawing.width - 4), '    ');
      });
      return [wrap(kleur.bold(first), drawing.width), ...said].join('\n');
    })
    .join('\n');
}

function inline(tokens: readonly Token[] = [], drawing: Drawing): string {
  return tokens.map((token) => piece(token, drawing)).join('');
}

function piece(token: Token, drawing: Drawing): string {
  switch (token.type) {
    case 'codespan':
      return kleur.enabled ? kleur.cyan(token.text) : `\`${token.text}\``;
    case 'strong':
      return kleur.bold(inline(token.tokens, drawing));
    case 'em':
      return kleur.italic(inline(token.tokens, drawing));
    case 'link':
      return link(token as Tokens.Link, drawing);
    case 'br':
      return '\n';
    case 'html':
      return '';
    default: {
      const inner = innerOf(token);
      return inner ? inline(inner, drawing) : decoded(textOf(token).replace(/\s*\n\s*/g, ' '));
    }
  }
}

const innerOf = (token: Token): readonly Token[] | undefined =>
  'tokens' in token ? token.tokens : undefined;
const textOf = (token: Token): string => ('text' in token ? token.text : '');

/** What a link leads to is named so that `fwk docs` takes it. */
function link({ href, tokens }: Tokens.Link, { manual, page, ...rest }: Drawing): string {
  const text = inline(tokens, { manual, page, ...rest });
  const target = followLink(manual, page, href);
  const name = target
    ? (target.page.name || 'README') + (target.id === undefined ? '' : `#${target.id}`)
    : /^(?:https?|mailto):/.test(href)
      ? href
      : undefined;
  return name === undefined || name === text ? text : `${text} (${kleur.underline(name)})`;
}

/** The lexer leaves texts as they are written, but for these. */
const ENTITIES: readonly (readonly [string, string])[] = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&amp;', '&'],
];
const decoded = (text: string): string =>
  ENTITIES.reduce((done, [entity, character]) => done.replaceAll(entity, character), text);

const narrower = (drawing: Drawing, by: number): Drawing => ({
  ...drawing,
  width: Math.max(20, drawing.width - by),
});

const indent = (text: string, by: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : by + line))
    .join('\n');

const lengthOf = (text: string): number => stripVTControlCharacters(text).length;
const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - lengthOf(text)));

function wrap(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => {
      const done: string[] = [];
      let current = '';
      for (const word of line.split(' ')) {
        const next = current === '' ? word : `${current} ${word}`;
        if (current !== '' && lengthOf(next) > width) {
          done.push(current);
          current = word;
        } else current = next;
      }
      return [...done, current].join('\n');
    })
    .join('\n');
}
