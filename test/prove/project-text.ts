import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repo } from '../harness/installed.js';
import type { Files } from '../harness/project.js';

// Projects and edits as texts that are short enough to read many of them one after the other.

/** The sections of a file in `fixtures`, by the title after `==`. Lines that begin with `#` are comments. */
export function readSections(name: string): ReadonlyMap<string, string> {
  const text = readFileSync(path.join(repo, 'test/prove/fixtures', `${name}.txt`), 'utf8');
  const [, ...sections] = text.replace(/^#.*\n/gm, '').split(/^== (?=.)/m);
  return new Map(
    sections.map((section) => {
      const end = section.indexOf('\n');
      return [section.slice(0, end), section.slice(end + 1)];
    }),
  );
}

/** The project in the section `sources`. */
export const projectIn = (name: string): Files => filesIn(readSections(name).get('sources') ?? '');

/** The files of a project without an edit. */
export const filesIn = (text: string): Files => parseProject(text).before;

/** A project before and after an edit. */
export interface EditedProject {
  readonly before: Files;
  readonly after: Files;
  /** Files whose endpoints must be listed, and labels of endpoints. */
  readonly must: readonly string[];
  /** The same of endpoints that may be listed. */
  readonly may: readonly string[];
}

const EXPORTS: Readonly<Record<string, readonly string[]>> = {
  fwkit: ['get', 'post', 'put', 'del', 'ws', 'middleware', 'service', 'di', 'error', 'view', 'endSession'],
  'fwkit/mcp': ['tool', 'auth'],
  '@fwkit/cron': ['job'],
};
const DEFAULT_EXPORT = /(^|;\s*)(?=(?:get|post|put|del|ws|middleware|service|di|tool|auth|job)\()/;
const CONVENTION = /^(?:api|web|ws|cron|mcp|services|di|middlewares)\//;
const FILE = /^(?:([!?]) )?((?:[\w.[\]()-]+\/)*[\w.[\]()-]+\.\w+|\.env)(?: +|$)/;
const LABEL = /^([!?]) ([A-Z]+ \S+)$/;
const EDIT = /«([^→»]*)→([^»]*)»/g;

/**
 * Reads a project. A line that begins with a path begins a file, and indented lines continue it. `«a→b»` is the edit
 * from `a` to `b`; a file that is empty in a version doesn't exist there. `!` marks a file or a label whose endpoint
 * must be listed, `?` one that may be. Files of a convention need neither the imports from fwkit nor `export default`.
 */
export function parseProject(text: string): EditedProject {
  const sources = new Map<string, string>();
  const marked: Record<string, string[]> = { '!': [], '?': [] };
  let name = '';
  for (const line of text.split('\n')) {
    const [head = '', mark = '', marks = ''] = LABEL.exec(line) ?? FILE.exec(line) ?? [];
    marked[mark]?.push(marks);
    if (head !== '' && head === line && mark !== '') continue;
    if (head !== '') name = marks;
    if (name !== '') sources.set(name, `${sources.get(name) ?? ''}${line.slice(head.length)}\n`);
  }
  const version = (side: '$1' | '$2'): Files =>
    Object.fromEntries(
      [...sources].flatMap(([file, source]) => {
        const result = source.replace(EDIT, side);
        return result.trim() === ''
          ? []
          : [[file, CONVENTION.test(file) ? asModule(result, source) : result]];
      }),
    );
  return { before: version('$1'), after: version('$2'), must: marked['!'] ?? [], may: marked['?'] ?? [] };
}

/** Adds the imports that either version needs. */
function asModule(text: string, both: string): string {
  const imports = Object.entries(EXPORTS).flatMap(([from, all]) => {
    const names = all.filter((name) => new RegExp(`(?<![.\\w])${name}\\(`).test(both));
    return names.length > 0 ? [`import { ${names.join(', ')} } from '${from}';\n`] : [];
  });
  const isExported = /export default|as default/.test(text);
  return imports.join('') + (isExported ? text : text.replace(DEFAULT_EXPORT, '$1export default '));
}
