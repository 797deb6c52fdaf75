import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { repo } from './installed.js';

/** An import in a source file. */
export interface Import {
  readonly from: string;
  /** A path from the repository's root for a relative import, else the package's specifier. */
  readonly to: string;
  readonly relative: boolean;
}

/** The folders of the product, lowest floor first. `packages/` is published separately. */
export const ROOMS = [
  'kernel',
  'scope',
  'contributions',
  'loader',
  'peers',
  'plugins',
  'client',
  'app',
  'testkit',
  'cli',
] as const;

/** Every source file below a folder of the repository. */
export function list(folder: string): string[] {
  return readdirSync(path.join(repo, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/fixtures|(^|[/\\])(node_modules|dist)[/\\]/.test(file))
    .map((file) => `${folder}/${file.split(path.sep).join('/')}`)
    .sort();
}

/** The imports of a file, including type imports. */
export function importsOf(from: string): Import[] {
  const pattern =
    /^(?:import|export)\b[^'"`;=]*?\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;
  return [...withoutTemplates(withoutComments(read(from))).matchAll(pattern)].map(([, ...found]) => {
    const specifier = found.find(Boolean) ?? '';
    const relative = specifier.startsWith('.');
    return {
      from,
      relative,
      to: relative ? path.posix.join(path.posix.dirname(from), specifier) : specifier,
    };
  });
}

/** The names that a module exports, types included. */
export function exportedBy(file: string): string[] {
  const text = code(file);
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list.split(','),
  );
  const own = text.matchAll(
    /^export (?:declare )?(?:async )?(?:abstract )?(?:function|const|class|interface|type) (\w+)/gm,
  );
  const names = [...lists.map((item) => /(\w+)\s*$/.exec(item)?.[1]), ...[...own].map(([, name]) => name)];
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** The package that a specifier is of. */
export function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function read(file: string): string {
  return readFileSync(path.join(repo, file), 'utf8');
}

/** How many lines a file has. */
export function lines(file: string): number {
  return read(file).trimEnd().split('\n').length;
}

/** A file without its comments. */
export function code(file: string): string {
  return withoutComments(read(file));
}

/** The number of a file's lines with code: neither blank nor comment. */
export function linesOfCode(file: string): number {
  return code(file)
    .split('\n')
    .filter((line) => line.trim() !== '').length;
}

/** The text of a file's block comments. */
export function comment(file: string): string {
  return [...read(file).matchAll(/\/\*[\s\S]*?\*\//g)].join('\n');
}

/** Blanks comments and keeps line numbers; `//` and `/*` in strings, such as URLs and globs, do not begin one. */
function withoutComments(text: string): string {
  const blank = (comment: string) => comment.replace(/[^\n]/g, ' ');
  return text.replace(/(?<![^\s([{,;])\/\*[\s\S]*?\*\//g, blank).replace(/(?<![:'"`\\/])\/\/.*$/gm, blank);
}

/** Blanks template strings, which may contain the code of generated files. */
function withoutTemplates(text: string): string {
  return text.replace(/`(?:\\[\s\S]|[^`\\])*`/g, '``');
}
