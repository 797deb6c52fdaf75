import { readdir, readFile } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';

/** The templates of a project, and which of them name which. */
export class Templates {
  /** By name: the path below `views/` without extension. */
  readonly #texts: ReadonlyMap<string, string>;
  /** The file of each, by name, relative to `views/`. */
  readonly files: ReadonlyMap<string, string>;

  /** `texts`: by path below `views/`. */
  constructor(texts: ReadonlyMap<string, string>) {
    this.files = new Map([...texts.keys()].sort().map((file) => [withoutExtension(file), file]));
    this.#texts = new Map([...texts].map(([file, text]) => [withoutExtension(file), text]));
  }

  /** Those of some names, and all that they include or are laid out by. `*` is all there are. */
  reached(names: Iterable<string>): readonly string[] {
    const found = new Set<string>();
    for (const name of names)
      for (const one of name === '*' ? this.files.keys() : [clean(name)]) found.add(one);
    for (const name of found) for (const one of this.#mentioned(name)) found.add(one);
    return [...found].sort();
  }

  /** The names by which `view()` renders one of `changed`, directly or by way of a layout or an include. */
  rendering(changed: readonly string[]): Set<string> {
    const wanted = new Set(changed.map(withoutExtension));
    const others = [...this.files.keys()].filter((name) =>
      this.reached([name]).some((one) => wanted.has(one)),
    );
    return new Set([...wanted, ...others]);
  }

  #mentioned(name: string): Iterable<string> {
    const text = this.#texts.get(name) ?? '';
    if (COMPUTED_NAME.test(text)) return this.files.keys();
    return [...wordsOf(text)].flatMap((word) => {
      const candidates = [clean(word), clean(posix.join(posix.dirname(name), word))];
      return candidates.find((one) => this.files.has(one)) ?? [];
    });
  }
}

/** Code in a template, in the marks of most engines. */
const CODE = /<%[\s\S]*?%>|\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;

/** An include whose name is put together while rendering: it may be any. */
const COMPUTED_NAME = /\b(?:layout|include|includeFile|includeAsync|render)\(\s*(?!['"`\s]|\w+\s*=>)/;

/**
 * What may be names of other templates: quoted texts of the code, and words where one is included. A text of an engine without marks
 * is code as a whole.
 */
function* wordsOf(text: string): Generator<string> {
  for (const code of text.match(CODE) ?? [text]) {
    for (const [, , inner = ''] of code.matchAll(/(["'`])([^"'`\n]+)\1/g)) yield inner;
    for (const [, word = ''] of code.matchAll(
      /(?:\{\{#?[>*]|[+]|\b(?:include|extends|layout|render|partial))\s*([\w./-]+)/g,
    ))
      yield word;
  }
}

/** Read the texts of the templates below `views/` in the root of a project, by path; none without that directory. */
export async function readTemplates(root: string): Promise<Map<string, string>> {
  const directory = join(root, 'views');
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const texts = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        const file = relative(directory, path).split(sep).join('/');
        return [file, await readFile(path, 'utf8')] as const;
      }),
  );
  return new Map(texts);
}

export const withoutExtension = (file: string): string => file.replace(/\.[^./]+$/, '');

/** A name as it is called in code: with or without `/`, `@` or `./` before it, and an extension. */
const clean = (name: string): string => withoutExtension(posix.normalize(name).replace(/^[/@]+/, ''));
