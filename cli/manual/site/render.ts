import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '../../../plugins/http/errors/error-page.js';
import { followLink, type Manual, type Page, plain } from '../pages.js';
import { headingId } from '../sections.js';

/** Where the manual is, on `fwk dev` as on `fwk docs --serve`. */
export const BASE = '/_fwk/manual';

/** A heading of a page, for its contents. */
export interface Heading {
  readonly id: string;
  readonly level: number;
  /** Without markup. */
  readonly title: string;
}

export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** The address of a page, and of a heading of it. */
export const addressOf = ({ name }: Page, id?: string): string =>
  `${BASE}/${name}${id === undefined || id === '' ? '' : `#${id}`}`;

/** Markdown of a page as HTML. HTML in it is text; a link that leads to no page and no other site is its text. */
export function render(manual: Manual, page: Page, markdown = page.text): Rendered {
  const headings: Heading[] = [];
  const ids = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const base = headingId(plain(text));
        const count = ids.get(base) ?? 0;
        ids.set(base, count + 1);
        const id = count === 0 ? base : `${base}-${count}`;
        const html = this.parser.parseInline(tokens);
        headings.push({ id, level: depth, title: plain(text) });
        if (depth === 1) return `<h1 id="${escapeHtml(id)}">${html}</h1>\n`;
        const label = escapeHtml(`Link to “${plain(text)}”`);
        return `<h${depth} id="${escapeHtml(id)}">${html} <a class="anchor" href="#${escapeHtml(id)}" aria-label="${label}">#</a></h${depth}>\n`;
      },
      code: ({ text, lang }) => codeHtml(text, lang ?? ''),
      codespan: ({ text }) => `<code>${escapeHtml(text)}</code>`,
      // What a comment says is for the tests of these pages.
      html: ({ text }) => escapeHtml(text.replace(/<!--(?:[^-]|-(?!->))*-->\s*/g, '')),
      image: ({ text }) => escapeHtml(text),
      link({ href, tokens }) {
        return linkHtml(manual, page, href, this.parser.parseInline(tokens));
      },
      table(token) {
        const rows = token.rows.map(
          (row) => `<tr>${row.map((cell) => cellHtml('td', cell, this.parser)).join('')}</tr>`,
        );
        const head = token.header.map((cell) => cellHtml('th', cell, this.parser)).join('');
        return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>\n`;
      },
    },
  });
  return { html: marked.parse(markdown, { async: false }), headings };
}

/** The first line of a block says which file it is, where it has one. */
function codeHtml(text: string, info: string): string {
  const language = (/^[\w-]+/.exec(info)?.[0] ?? '').toLowerCase();
  const [, file, note = ''] = /^(?:\/\/|#|<!--) ([\w./[\]@-]+\.\w+)(?::? (.*?))?(?: -->)?\n/.exec(text) ?? [];
  const code = file === undefined ? text : text.slice(text.indexOf('\n') + 1);
  const caption =
    file === undefined
      ? ''
      : `<figcaption><code>${escapeHtml(file)}</code>${note === '' ? '' : ` <span>${escapeHtml(note)}</span>`}</figcaption>`;
  return `<figure class="code">${caption}<pre tabindex="0"><code>${highlight(code, language)}</code></pre></figure>\n`;
}

function linkHtml(manual: Manual, page: Page, href: string, text: string): string {
  const target = followLink(manual, page, href);
  if (target) return `<a href="${escapeHtml(addressOf(target.page, target.id))}">${text}</a>`;
  if (!/^https?:\/\//i.test(href)) return text;
  return `<a href="${escapeHtml(href)}" rel="noreferrer">${text}</a>`;
}

const cellHtml = (
  element: 'td' | 'th',
  { tokens, align }: Tokens.TableCell,
  parser: { parseInline(tokens: Tokens.TableCell['tokens']): string },
): string => {
  const html = parser.parseInline(tokens);
  if (element === 'th' && html === '') return '<td></td>';
  return `<${element}${align ? ` class="${align}"` : ''}>${html}</${element}>`;
};

/** A kind of token, and how it begins. Every expression is sticky and takes linear time. */
type Rule = readonly [kind: string, pattern: RegExp];

const KEYWORDS =
  'abstract as asserts async await break case catch class const continue default delete do else enum export extends false finally for from function if implements import in infer instanceof interface is keyof let namespace new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined unique var void while yield';

const keyword = (words: string): RegExp => new RegExp(`\\b(?:${words.replaceAll(' ', '|')})\\b`, 'y');

const STRINGS: readonly Rule[] = [
  ['s', /'(?:\\.|[^'\\\n])*'/y],
  ['s', /"(?:\\.|[^"\\\n])*"/y],
];
const HASH_COMMENT: Rule = ['c', /#[^\n]*/y];
const NUMBER: Rule = ['n', /\b\d[\d_.]*(?:[a-z]{1,2}\b)?/y];

const SCRIPT: readonly Rule[] = [
  ['c', /\/\/[^\n]*/y],
  ['c', /\/\*(?:[^*]|\*(?!\/))*\*\//y],
  ...STRINGS,
  ['s', /`(?:\\[\s\S]|[^`\\])*`/y],
  ['k', keyword(KEYWORDS)],
  ['', /[\w$]+(?=\s*:)/y],
  ['t', /\b[A-Z][\w$]*/y],
  ['f', /[a-zA-Z_$][\w$]*(?=\()/y],
  ['', /[a-zA-Z_$][\w$]*/y],
  NUMBER,
];
const JSON_RULES: readonly Rule[] = [
  ['c', /\/\/[^\n]*/y],
  ['p', /"(?:\\.|[^"\\\n])*"(?=\s*:)/y],
  ...STRINGS,
  ['k', keyword('true false null')],
  NUMBER,
];
const SHELL: readonly Rule[] = [
  HASH_COMMENT,
  ...STRINGS,
  ['p', /(?<=\s)--?[a-zA-Z][\w-]*/y],
  ['t', /\$\{?\w+\}?/y],
  ['f', /(?<=^|\n|&& |\| |; )[\w./-]+/y],
  ['', /[\w./:@-]+/y],
];
const MARKUP: readonly Rule[] = [
  ['c', /<!--(?:[^-]|-(?!->))*-->/y],
  ['k', /<%[^%]*%>/y],
  ['t', /<\/?[a-zA-Z][\w-]*|\/?>/y],
  ['p', /(?<=\s)[a-zA-Z:-]+(?==)/y],
  ...STRINGS,
  ['', /[\w-]+/y],
];
const HTTP: readonly Rule[] = [
  ['k', /(?<=^|\n)(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|HTTP\/[\d.]+)(?=\s)/y],
  ['p', /(?<=^|\n)[A-Za-z-]+(?=:)/y],
  ...STRINGS,
  NUMBER,
  ['', /[\w-]+/y],
];
const SQL: readonly Rule[] = [
  ['c', /--[^\n]*/y],
  ...STRINGS,
  [
    'k',
    /\b(?:select|insert|into|values|update|set|delete|from|where|and|or|not|null|create|table|index|primary|key|references|unique|default|order|by|group|limit|returning|on|join|left|alter|add|column|if|exists|begin|commit|grant|to)\b/iy,
  ],
  ['', /\w+/y],
  NUMBER,
];
const SETTINGS: readonly Rule[] = [
  HASH_COMMENT,
  ['t', /(?<=^|\n)\[[^\]\n]*\]/y],
  ['p', /(?<=^|\n)[ \t-]*[\w.-]+(?=\s*[:=\s])/y],
  ...STRINGS,
  NUMBER,
  ['', /[\w./-]+/y],
];

const LANGUAGES: Readonly<Record<string, readonly Rule[]>> = Object.assign(Object.create(null), {
  ts: SCRIPT,
  tsx: SCRIPT,
  js: SCRIPT,
  jsx: SCRIPT,
  json: JSON_RULES,
  jsonc: JSON_RULES,
  sh: SHELL,
  bash: SHELL,
  html: MARKUP,
  eta: MARKUP,
  xml: MARKUP,
  http: HTTP,
  sql: SQL,
  yaml: SETTINGS,
  yml: SETTINGS,
  ini: SETTINGS,
  toml: SETTINGS,
  nginx: SETTINGS,
  dockerfile: SETTINGS,
  env: SETTINGS,
});

/** Code as HTML, with a `<span class>` around what has a colour. Of an unknown language it is the text alone. */
function highlight(code: string, language: string): string {
  const rules = LANGUAGES[language] ?? [];
  let html = '';
  let rest = '';
  for (let at = 0; at < code.length; ) {
    const token = rules.length === 0 ? undefined : tokenAt(rules, code, at);
    if (!token) {
      rest += code[at++];
      continue;
    }
    html += escapeHtml(rest);
    rest = '';
    html +=
      token.kind === ''
        ? escapeHtml(token.text)
        : `<span class="${token.kind}">${escapeHtml(token.text)}</span>`;
    at += token.text.length;
  }
  return html + escapeHtml(rest);
}

function tokenAt(rules: readonly Rule[], code: string, at: number) {
  for (const [kind, pattern] of rules) {
    pattern.lastIndex = at;
    const [text] = pattern.exec(code) ?? [];
    if (text) return { kind, text };
  }
  return undefined;
}
