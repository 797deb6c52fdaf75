import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { repo } from './installed.js';

export interface Link {
  /** A path from the repository's root. */
  readonly to: string;
  /** The anchor of the linked heading. */
  readonly id: string | undefined;
}

export interface Block {
  readonly language: string;
  readonly text: string;
  /** The file that its first line names: `src/api/hello.get.ts`. */
  readonly file: string | undefined;
  /** Code for the compiler only, from a comment before the block: `<!-- given: import { get } from 'fwkit'; -->`. */
  readonly given: string;
  /** Whether a comment marks it as incomplete, with the reason: `<!-- fragment: one line of a config -->`. */
  readonly isFragment: boolean;
  /** The heading above the block: `GraphQL`. */
  readonly section: string;
}

/** Folders of this repository, by which its paths are recognized. */
const ROOTS = 'kernel|loader|peers|plugins|client|app|testkit|cli|bundle|examples|bench|docs';

/** Every document of this repository, by its path from the root. */
export function documents(): string[] {
  const below = (folder: string) =>
    readdirSync(path.join(repo, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file.split(path.sep).join('/')}`)
      .filter((file) => file.endsWith('.md') && !/\/(?:node_modules|\.\w+)\//.test(file))
      .sort();
  return ['README.md', 'CONTRIBUTING.md', 'bench/README.md', ...below('docs'), ...below('examples')];
}

/** The links of a document to files of this repository. */
export function linksOf(file: string): Link[] {
  return [...withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [to = '', id] = target.split('#');
      return { to: to === '' ? file : path.posix.join(path.posix.dirname(file), to), id };
    });
}

/** The anchors of a document: its headings, as GitHub names them. */
export function headingIds(file: string): string[] {
  return [
    ...read(file)
      .replace(FENCE, '')
      .matchAll(/^#+ (.*)$/gm),
  ].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The paths of this repository that a document names as code, in a drawing or in its text. */
export function pathsOf(file: string): string[] {
  // Documents about this repository; elsewhere, `test/` is a folder of the reader's project.
  const roots = /^(CONTRIBUTING|docs\/internals)/.test(file) ? `${ROOTS}|test` : ROOTS;
  const pattern = new RegExp(`(?<![\\w./@-])(?:${roots})/(?:[\\w-][\\w./-]*)?`, 'g');
  return codeOf(file).flatMap((code) =>
    [...code.matchAll(pattern)].map(([found]) => found.replace(/\.$/, '')),
  );
}

/** Every word in the code of these documents. */
export function spokenOf(files: readonly string[]): ReadonlySet<string> {
  return new Set(files.flatMap(codeOf).flatMap((code) => code.match(/[\p{L}\p{N}_$]+/gu) ?? []));
}

/** The fenced blocks of a document. */
export function blocksOf(file: string): Block[] {
  const whole = read(file);
  return [...whole.matchAll(FENCE)].map(({ 1: language = '', 2: text = '', index }) => {
    const before = whole.slice(0, index);
    const [, kind, said = ''] = COMMENT_BEFORE.exec(before) ?? [];
    return {
      language,
      text,
      file: /^(?:\/\/|<!--|#) ([\w./[\]-]+\.\w+)(?=[:\s]|$)/.exec(text)?.[1],
      given: kind === 'given' ? said.trim() : '',
      isFragment: kind === 'fragment',
      section: [...before.matchAll(/^##+ (.*)$/gm)].at(-1)?.[1] ?? '',
    };
  });
}

/**
 * Files that the blocks of a document need in addition, by name and text: `<!-- file src/fwk.config.ts: … -->`. Readers
 * do not see them.
 */
export const hiddenFilesOf = (file: string): [name: string, text: string][] =>
  [...read(file).matchAll(/^<!-- file (\S+): ((?:(?!-->)[\s\S])*)-->$/gm)].map(([, name = '', text = '']) => [
    name,
    text,
  ]);

/** A table row whose first column contains code. */
export interface Row {
  /** The heading above the table, in Markdown. */
  readonly section: string;
  /** Each piece of code in the first column. */
  readonly names: readonly string[];
  /** The other columns. */
  readonly cells: readonly string[];
}

/** The table rows of a document whose first column contains code. */
export function tableRows(file: string): Row[] {
  let section = '';
  return read(file)
    .replace(FENCE, '')
    .split('\n')
    .flatMap((line): Row[] => {
      section = /^##+ (.*)$/.exec(line)?.[1] ?? section;
      if (!line.startsWith('|')) return [];
      const [first = '', ...cells] = line
        .replace(/^\||\|\s*$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim());
      const names = [...first.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      return names.length === 0 ? [] : [{ section, names, cells }];
    });
}

/** The text before the first heading below the title. */
export function beginningOf(file: string): string {
  return read(file).split(/^## /m, 1)[0] ?? '';
}

/** Indented, too: in a list. */
const FENCE = /^ *```(\w*)\n([\s\S]*?)^ *```$/gm;
const COMMENT_BEFORE = /^ *<!-- (given|fragment): ((?:(?!-->)[\s\S])*)-->\n+$(?![\s\S])/m;
const INLINE = /`([^`\n]+(?:\n[^`\n]+)?)`/g;

const read = (file: string): string => readFileSync(path.join(repo, file), 'utf8');

const withoutCode = (text: string): string => text.replace(FENCE, '').replace(INLINE, '');

/** The code of a document: its fenced blocks and inline code. */
export function codeOf(file: string): string[] {
  const text = read(file);
  const fenced = [...text.matchAll(FENCE)].map(([, , block = '']) => block);
  const inline = [...text.replace(FENCE, '').matchAll(INLINE)].map(([, code = '']) => code);
  return [...fenced, ...inline];
}
