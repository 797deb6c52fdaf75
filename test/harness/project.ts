import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { atExit } from './cleanup.js';
import { installed } from './installed.js';
import { anyOf } from './sample.js';

/** TypeScript below src/, or JavaScript at the project's root. */
export type Layout = 'ts' | 'js';
export const layouts: readonly Layout[] = anyOf(['ts', 'js']);

/**
 * The cases to try in a layout: all in the first, every fourth in the other. The layouts differ in file names and
 * loading, not in the mistakes.
 */
export const casesIn = <Case>(layout: Layout, cases: Readonly<Record<string, Case>>): [string, Case][] =>
  Object.entries(cases).filter((_, index) => layout === layouts[0] || index % 4 === 0);

/** Texts by name. `api/users.get.ts` is a source file in the layout's directory; other files belong to the root. */
export type Files = Readonly<Record<string, string>>;

/** A project on disk. */
export interface Project {
  readonly root: string;
  readonly layout: Layout;
  /** Where a file is, relative to the root: `src/api/x.ts` or `api/x.js`. */
  label(name: string): string;
  /** Where a file is, absolute. */
  path(name: string): string;
  read(name: string): string;
  exists(name: string): boolean;
  mtime(name: string): number;
  write(name: string, text: string): void;
  remove(name: string): void;
}

/** The parent folder of all projects. */
export function projectsFolder(): string {
  const folder = path.join(installed(), 'projects');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Writes a project that finds fwkit in a node_modules above it. It is removed when the process ends. */
export function project(files: Files, layout: Layout = 'ts'): Project {
  const root = mkdtempSync(path.join(projectsFolder(), `${layout}-`));
  atExit(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));

  const label = (name: string) => place(name, layout);
  const at = (name: string) => path.join(root, label(name));
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };

  write('package.json', '{ "private": true, "type": "module" }\n');
  for (const [name, text] of Object.entries(files)) write(name, text);
  return {
    root,
    layout,
    label,
    path: at,
    read: (name) => readFileSync(at(name), 'utf8'),
    exists: (name) => existsSync(at(name)),
    mtime: (name) => statSync(at(name)).mtimeMs,
    write,
    remove: (name) => rmSync(at(name)),
  };
}

/** Rewrites file names in a text: `login.get.ts` becomes `login.get.js` in the other layout. */
export function inLayout(text: string, layout: Layout): string {
  return layout === 'ts' ? text : text.replace(/(?<!\.d)\.(m?)ts\b/g, '.$1js');
}

/** TypeScript that is no source of the server. */
const BESIDE = /^(?:\.fwk|frontend)\//;

function place(name: string, layout: Layout): string {
  if (!/\.m?ts$/.test(name) || BESIDE.test(name)) return name;
  return layout === 'ts' ? `src/${name}` : inLayout(name, layout);
}
