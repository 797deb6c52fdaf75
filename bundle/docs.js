// Copies the pages for users into the package: all of docs/ except for internals/, which is for contributors.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** A picture in Markdown. The first group is its path. */
const PICTURE = /!\[[^\]]*\]\(([^)\s]+)\)\n*/g;

/** The limit for all pages together, in bytes, because they are part of every install. */
const LIMIT = 576 * 1024;

/** Copy the pages to `target`, without links to files that are not part of the package. */
export function stageDocs(target) {
  const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .map((file) => `docs/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.md') && !file.startsWith('docs/internals/'));
  let total = 0;
  for (const page of pages) {
    const text = withoutDeadLinks(readFileSync(page, 'utf8'), page, pages);
    total += Buffer.byteLength(text);
    mkdirSync(dirname(join(target, page)), { recursive: true });
    writeFileSync(join(target, page), text);
  }
  if (total > LIMIT) throw new Error(`The pages of docs/ take ${total} bytes, more than ${LIMIT}.`);
  for (const file of ['README.md', 'CHANGELOG.md']) {
    if (!existsSync(file)) continue;
    cpSync(file, join(target, file));
    const text = readFileSync(file, 'utf8');
    writeFileSync(join(target, file), withoutDeadLinks(text, file, pages));
  }
}

/** Removes comments for tests and pictures that are not in the package. Of a link out of the package, only the text stays. */
function withoutDeadLinks(text, file, pages) {
  const there = new Set([...pages, 'README.md', 'CHANGELOG.md', 'LICENSE']);
  const isThere = (to) => {
    if (/^(?:[a-z]+:|#)/.test(to)) return true;
    return there.has(posix.join(posix.dirname(file), to.split('#', 1)[0]));
  };
  return withoutProofs(text)
    .split(/(^ *```[\s\S]*?^ *```$)/m)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            // Comments are for the tests of these pages.
            .replace(/^ *<!-- (?:given|fragment|file \S+): [\s\S]*?-->\n/gm, '')
            .replace(/^\|.*\|\n\|[-:| ]+\|\n(?:\|.*\n)+\n?/gm, (table) =>
              [...table.matchAll(PICTURE)].some(([, to]) => !isThere(to)) ? '' : table,
            )
            .replace(PICTURE, (whole, to) => (isThere(to) ? whole : ''))
            .replace(/\[((?:[^[\]`]|`[^`]*`)*)\]\(([^)\s]+)\)/g, (whole, words, to) =>
              isThere(to) ? whole : words,
            ),
    )
    .join('');
}

/** Removes the last column of tables that name tests, which only the repository has. */
function withoutProofs(text) {
  return text.replace(/^\|.*\| Shown by \|\n(?:\|.*\n)+/gm, (table) => table.replace(/\|[^|\n]*\|$/gm, '|'));
}
