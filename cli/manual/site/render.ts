import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '../../../plugins/http/errors/error-page.js';
import { followLink, type Manual, type Page, plain } from '../pages.js';
import { headingId } from '../sections.js';
import { highlight } from './highlight.js';

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
