import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The texts of templates by path below `views/`: `books/list.eta`. */
export type Templates = ReadonlyMap<string, string>;

/** Read all templates of a project; `root` is its root. */
export function readTemplates(root: string): Map<string, string> {
  const found = new Map<string, string>();
  const directory = path.join(root, 'views');
  let names: string[];
  try {
    names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  } catch {
    return found;
  }
  for (const name of names) {
    try {
      found.set(name.split(path.sep).join('/'), readFileSync(path.join(directory, name), 'utf8'));
    } catch {
      // A directory.
    }
  }
  return found;
}

/** The names by which `view()` can mean any of `changed`, directly or by a layout or a part. Names have no extension. */
export function affectedViews(templates: Templates, changed: readonly string[]): Set<string> {
  const affected = new Set(changed.map(withoutExtension));
  const names = [...templates.keys()].map(withoutExtension);
  const all = [...templates].map(
    ([name, text]) => [withoutExtension(name), mentionedIn(name, text, names)] as const,
  );
  for (let grew = true; grew; ) {
    grew = false;
    for (const [name, mentioned] of all)
      if (!affected.has(name) && [...mentioned].some((one) => affected.has(one))) {
        affected.add(name);
        grew = true;
      }
  }
  return affected;
}

export const withoutExtension = (name: string): string => name.replace(/\.[^./]*$/, '');

/**
 * The templates that a template may bring in. Of Eta `layout()` and `include()` with a text for a name; other engines write a name in
 * ways of their own, and so one counts wherever it stands as a word. A name that is put together while rendering may be any.
 */
function mentionedIn(name: string, text: string, all: readonly string[]): Set<string> {
  const own = new Set<string>();
  // Those that are gone are meant, too: no name is looked up.
  for (const [, , called] of text.matchAll(/(['"`])((?:(?!\1).)*)\1/g))
    if (called) own.add(resolved(name, called));
  if (/\b(?:layout|include|includeFile|includeAsync|render)\(\s*(?!['"`\s]|\w+\s*=>)/.test(text))
    for (const one of all) own.add(one);
  if (!name.endsWith('.eta'))
    for (const one of all) if (hasWord(text, path.posix.basename(one))) own.add(one);
  return own;
}

/** As Eta resolves it: relative to the directory of the template, or below `views/` where it begins with a slash. */
function resolved(from: string, called: string): string {
  const bare = withoutExtension(called);
  return bare.startsWith('/') ? bare.replace(/^\/+/, '') : path.posix.join(path.posix.dirname(from), bare);
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (!/[\w-]/.test(`${text[at - 1] ?? ' '}${text[at + word.length] ?? ' '}`)) return true;
  return false;
}
