import { stripVTControlCharacters } from 'node:util';
import kleur from 'kleur';
import { lexer, type Token, type Tokens } from 'marked';
import { followLink, type Manual, type Page } from './pages.js';
import { addressOf } from './sections.js';

/** Columns of a line that is still easy to read, also if the output goes to a file. */
const MAX_WIDTH = 100;

interface Drawing {
  readonly manual: Manual;
  readonly page: Page;
  readonly width: number;
}

export function draw(manual: Manual, page: Page, markdown: string, columns = MAX_WIDTH): string {
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

/** Line by line, so that each line ends in the default color. */
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

/** Columns side by side. If they don't fit, the cells of the widest columns are wrapped, but words are never broken. */
function table({ header, rows }: Tokens.Table, drawing: Drawing): string {
  const cells = [header, ...rows].map((row, index) =>
    row.map((cell) => (index === 0 ? kleur.bold : String)(inline(cell.tokens, drawing))),
  );
  const longest = (texts: readonly string[]): number => Math.max(...texts.map(lengthOf));
  const columns = header.map((_, column) => cells.map((row) => row[column] ?? ''));
  const widths = shares(
    columns.map((texts) => ({
      least: longest(texts.flatMap((text) => text.split(' '))),
      most: longest(texts),
    })),
    drawing.width - GAP.length * (header.length - 1),
  );
  const drawn = cells.map((row) => {
    const wrapped = row.map((cell, column) => wrap(cell, widths[column] ?? 0).split('\n'));
    const height = Math.max(...wrapped.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) =>
      wrapped
        .map((lines, column) => pad(lines[line] ?? '', widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    ).join('\n');
  });
  // A blank line between the rows if they would be hard to tell apart otherwise.
  const isWrapped = drawn.some((row) => row.includes('\n'));
  return drawn.filter((row) => row !== '').join(isWrapped ? '\n\n' : '\n');
}

const GAP = '  ';

/** The widths of columns in `room` characters: narrow columns keep their width, the others share the rest equally. */
function shares(
  columns: readonly { readonly least: number; readonly most: number }[],
  room: number,
): number[] {
  const widths = columns.map(() => 0);
  let left = room;
  let open = [...columns.keys()];
  while (open.length > 0) {
    const share = Math.floor(left / open.length);
    // A column that needs more than its share for its longest word gets it before the others.
    const settled = open.filter((at) => {
      const { least, most } = columns[at] ?? { least: 0, most: 0 };
      return most <= share || least >= share;
    });
    for (const at of settled.length > 0 ? settled : open) {
      const { least, most } = columns[at] ?? { least: 0, most: 0 };
      widths[at] = Math.max(least, Math.min(most, share));
      left -= widths[at];
    }
    open = settled.length > 0 ? open.filter((at) => !settled.includes(at)) : [];
  }
  return widths;
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
      return inner
        ? inline(inner, drawing)
        : decoded(('text' in token ? token.text : '').replace(/\s*\n\s*/g, ' '));
    }
  }
}

const innerOf = (token: Token): readonly Token[] | undefined =>
  'tokens' in token ? token.tokens : undefined;
function link({ href, tokens }: Tokens.Link, { manual, page, ...rest }: Drawing): string {
  const text = inline(tokens, { manual, page, ...rest });
  const target = followLink(manual, page, href);
  const name = target
    ? addressOf(target.page, target.id) || 'README'
    : /^(?:https?|mailto):/.test(href)
      ? href
      : undefined;
  return name === undefined || name === text ? text : `${text} (${kleur.underline(name)})`;
}

/** The lexer escapes these characters. */
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
