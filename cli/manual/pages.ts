import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '../../kernel/index.js';
import { installedIn, readPackage } from '../../loader/index.js';

interface PageFolder {
  /** The first part of its pages' names: '' for the pages of fwk, `prove/` for the pages of a plugin. */
  readonly prefix: string;
  readonly folder: string;
  /** The folder as it is printed: `docs`, `node_modules/@fwkit/prove/docs`. */
  readonly shown: string;
}

/** Next to the bundle, both in this repository and in the published package. */
export const DOCS = fileURLToPath(new URL('../../docs', import.meta.url));

const OWN_PAGES: PageFolder = { prefix: '', folder: DOCS, shown: 'docs' };

export const pageFolders = (root: string): readonly PageFolder[] => [
  OWN_PAGES,
  ...dependenciesOf(root).flatMap((name) => {
    const folder = installedIn(root, name);
    const docs = folder && join(folder, 'docs');
    if (!docs || !isPlugin(folder) || !existsSync(docs) || !hasPages(docs)) return [];
    return [
      {
        prefix: `${name.slice(name.lastIndexOf('/') + 1)}/`,
        folder: docs,
        shown: `node_modules/${name}/docs`,
      },
    ];
  }),
];

function dependenciesOf(root: string): readonly string[] {
  const { dependencies, devDependencies } = readPackage(root) ?? {};
  return [
    ...new Set([dependencies, devDependencies].flatMap((list) => (isObject(list) ? Object.keys(list) : []))),
  ].sort();
}

/** Packages that extend fwk have it as a peer dependency. */
function isPlugin(folder: string): boolean {
  const { peerDependencies } = readPackage(folder) ?? {};
  return isObject(peerDependencies) && Object.hasOwn(peerDependencies, 'fwkit');
}

const hasPages = (folder: string): boolean => readdirSync(folder).some((file) => file.endsWith('.md'));

export interface Page {
  /** The path in docs/ without `.md`: `guide/sessions`. A README has the name of its folder, and the front page is ''. */
  readonly name: string;
  /** The path in docs/: `guide/sessions.md`. For a plugin, it starts with the plugin's name: `prove/policy.md`. */
  readonly file: string;
  readonly shown: string;
  readonly title: string;
  /** One sentence about its subject, without markup; '' if there is none. */
  readonly line: string;
  readonly text: string;
}

export interface Topic {
  readonly title: string;
  readonly pages: readonly Page[];
}

export interface Manual {
  readonly front: Page;
  readonly topics: readonly Topic[];
  readonly pages: ReadonlyMap<string, Page>;
}

/** For contributors; not part of the published package. */
const INTERNAL = /^internals\//;

/** Read the pages of `folders`. The README.md of the first folder defines the topics by its headings, and their pages by its links. */
export function readManual(folders: readonly PageFolder[] = [OWN_PAGES]): Manual {
  const [first = OWN_PAGES] = folders;
  const files = folders.flatMap(filesIn);
  const front = files.find(({ file }) => file === 'README.md');
  const index = front ? textOf(front) : '# Documentation\n';
  const listed = topicsOf(index);
  const lines = new Map(listed.flatMap(({ links }) => links));
  const pages = files
    .filter((one) => one !== front)
    .map((one) => pageOf(one, textOf(one), lines.get(one.file)));

  const topics = listed.map(({ title, links }) => ({
    title,
    pages: links.flatMap(([file]) => pages.filter((page) => page.file === file)),
  }));
  const placed = new Set(topics.flatMap((topic) => topic.pages));
  for (const page of pages.filter((one) => !placed.has(one))) topicFor(page, topics).pages.push(page);
  const ordered = topics.filter((topic) => topic.pages.length > 0);
  return {
    front: {
      ...pageOf(
        front ?? { file: 'README.md', path: '', shown: `${first.shown}/README.md` },
        index,
        undefined,
      ),
      name: '',
    },
    topics: ordered,
    pages: new Map(ordered.flatMap((topic) => topic.pages.map((page) => [page.name, page] as const))),
  };
}

interface PageFile extends Pick<Page, 'file' | 'shown'> {
  readonly path: string;
}

const filesIn = ({ prefix, folder, shown }: PageFolder): PageFile[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.md') && !INTERNAL.test(file))
    .sort(new Intl.Collator('en', { numeric: true }).compare)
    .map((file) => ({ file: prefix + file, path: join(folder, file), shown: `${shown}/${file}` }));

const textOf = ({ path }: PageFile): string => readFileSync(path, 'utf8');

interface TopicDraft {
  readonly title: string;
  readonly pages: Page[];
}

/** The topic of a page that the front page doesn't link to. A page outside all folders is added to the first topic. */
function topicFor({ file }: Page, topics: TopicDraft[]): TopicDraft {
  const home = dirname(file);
  const title = home.charAt(0).toUpperCase() + home.slice(1);
  const near = ({ pages }: TopicDraft): number => pages.filter((one) => dirname(one.file) === home).length;
  const [nearest] = [...topics].sort((a, b) => near(b) - near(a));
  const found =
    topics.find((topic) => topic.title === title) ??
    (home === '.' ? topics[0] : nearest && near(nearest) > 0 ? nearest : undefined);
  if (found) return found;
  const topic = { title, pages: [] };
  topics.push(topic);
  return topic;
}

/** The page and heading that a link in `from` points to; undefined if it doesn't point to a page. */
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

export const plain = (text: string): string =>
  text
    .replace(/!?\[((?:[^[\]`]|`[^`]*`)*)\]\([^)]*\)/g, '$1')
    .replace(/(^|[\s(])(\*\*|__|\*)(?=\S)(.*?\S)\2/g, '$1$3')
    .replaceAll('`', '')
    .replace(/\s+/g, ' ')
    .trim();

const nameOf = (file: string): string => file.replace(/\.md$/, '').replace(/\/README$/, '');

function pageOf({ file, shown }: Omit<PageFile, 'path'>, text: string, listed: string | undefined): Page {
  const name = nameOf(file);
  const title = plain(/^# (.+)$/m.exec(text)?.[1] ?? posix.basename(name));
  return { name, file, shown, title, line: listed || firstSentence(text), text };
}

/** The first sentence of the first paragraph; headings, code blocks, lists and tables don't count. */
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
  /** Files of pages, each with the text after its link. */
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
