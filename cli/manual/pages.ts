import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A page of the manual. */
export interface Page {
  /** Its path in docs/ without `.md`, as in `guide/sessions`; that of a folder's README is the folder. The front page is ''. */
  readonly name: string;
  /** Its path in docs/: `guide/sessions.md`. */
  readonly file: string;
  readonly title: string;
  /** What it is about, in a line without markup; '' where nothing says it. */
  readonly line: string;
  /** Markdown. */
  readonly text: string;
}

export interface Topic {
  readonly title: string;
  readonly pages: readonly Page[];
}

export interface Manual {
  readonly front: Page;
  /** In the order of the front page. */
  readonly topics: readonly Topic[];
  /** Every page but the front page, by name, in the order of the topics. */
  readonly pages: ReadonlyMap<string, Page>;
  /** The folder that it was read from. */
  readonly folder: string;
}

/** Beside the bundle, in this repository and in the package alike. */
export const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));

/** For who changes fwk itself, and not in the package. */
const INTERNAL = /^internals\//;

/**
 * Read the pages of a folder. README.md says their topics and order: its headings, and the links below each. A page that it does
 * not link to comes last in the topic that is called as its folder, or else in the one with most pages of that.
 */
export function readManual(folder = DOCS): Manual {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.md') && !INTERNAL.test(file))
    .sort(new Intl.Collator('en', { numeric: true }).compare);
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const index = files.includes('README.md') ? read('README.md') : '# Documentation\n';
  const listed = topicsOf(index);
  const lines = new Map(listed.flatMap(({ links }) => links));
  const pages = files
    .filter((file) => file !== 'README.md')
    .map((file) => pageOf(file, read(file), lines.get(file)));

  const topics = listed.map(({ title, links }) => ({
    title,
    pages: links.flatMap(([file]) => pages.filter((page) => page.file === file)),
  }));
  const placed = new Set(topics.flatMap((topic) => topic.pages));
  for (const page of pages.filter((one) => !placed.has(one))) topicFor(page, topics).pages.push(page);
  const ordered = topics.filter((topic) => topic.pages.length > 0);
  return {
    front: { ...pageOf('README.md', index, undefined), name: '' },
    topics: ordered,
    pages: new Map(ordered.flatMap((topic) => topic.pages.map((page) => [page.name, page] as const))),
    folder,
  };
}

interface Growing {
  readonly title: string;
  readonly pages: Page[];
}

/** Where a page belongs that the front page does not link to: the first topic, if it is in no folder. */
function topicFor({ file }: Page, topics: Growing[]): Growing {
  const home = dirname(file);
  const title = home.charAt(0).toUpperCase() + home.slice(1);
  const near = ({ pages }: Growing): number => pages.filter((one) => dirname(one.file) === home).length;
  const [nearest] = [...topics].sort((a, b) => near(b) - near(a));
  const found =
    topics.find((topic) => topic.title === title) ??
    (home === '.' ? topics[0] : nearest && near(nearest) > 0 ? nearest : undefined);
  if (found) return found;
  const made = { title, pages: [] };
  topics.push(made);
  return made;
}

/** The page that a link of `from` leads to, and the heading there; undefined where it leads to no page. */
export function followLink(
  manual: Manual,
  from: Page,
  href: string,
): { readonly page: Page; readonly id: string | undefined } | undefined {
  if (/^[a-z][a-z+.-]*:|^\/\//i.test(href)) return undefined;
  const [path = '', id] = href.split('#', 2);
  if (path === '') return { page: from, id };
  const file = posix.join(posix.dirname(from.file), path);
  if (file === 'README.md') return { page: manual.front, id };
  const page = manual.pages.get(nameOf(file));
  return page?.file === file ? { page, id } : undefined;
}

/** A text without the markup of Markdown. */
export const plain = (text: string): string =>
  text
    .replace(/!?\[((?:[^[\]`]|`[^`]*`)*)\]\([^)]*\)/g, '$1')
    .replace(/(^|[\s(])(\*\*|__|\*)(?=\S)(.*?\S)\2/g, '$1$3')
    .replaceAll('`', '')
    .replace(/\s+/g, ' ')
    .trim();

const nameOf = (file: string): string => file.replace(/\.md$/, '').replace(/\/README$/, '');

function pageOf(file: string, text: string, listed: string | undefined): Page {
  const name = nameOf(file);
  const title = plain(/^# (.+)$/m.exec(text)?.[1] ?? posix.basename(name));
  return { name, file, title, line: listed || firstSentence(text), text };
}

/** The first sentence of prose: neither a heading, a block of code, a list nor a table. */
function firstSentence(text: string): string {
  const paragraphs = text.replace(/^ *```[\s\S]*?^ *```$/gm, '').split(/\n{2,}/);
  const prose = paragraphs.find(
    (one) => /^\s*[\p{L}`*[]/u.test(one) && !/^\s*(?:#|[-*+] |\d+\.|\|)/.test(one),
  );
  return prose === undefined
    ? ''
    : (/^.*?[.:!?](?=\s|$)/.exec(plain(prose))?.[0] ?? plain(prose)).replace(/:$/, '.');
}

interface Listed {
  readonly title: string;
  /** Files of pages, and what is said of each. */
  readonly links: (readonly [file: string, line: string])[];
}

function topicsOf(index: string): Listed[] {
  const topics: Listed[] = [];
  const seen = new Set<string>();
  for (const row of index.split('\n')) {
    const heading = /^## (.+)$/.exec(row)?.[1];
    if (heading !== undefined) topics.push({ title: plain(heading), links: [] });
    const found = /^\s*[-*] \[[^\]]*\]\(([^)#\s]+\.md)\)(?:[:,]? (.*))?$/.exec(row);
    if (!found) continue;
    const [, to = '', line = ''] = found;
    const file = posix.normalize(to);
    if (!seen.has(file)) topics.at(-1)?.links.push([file, plain(line)]);
    seen.add(file);
  }
  return topics;
}
