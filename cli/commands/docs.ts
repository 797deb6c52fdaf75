import { resolve } from 'node:path';
import kleur from 'kleur';
import type { CommandRun } from '../../contributions/index.js';
import { BootError } from '../../kernel/index.js';
import { UsageError } from '../flags.js';
import { find } from '../manual/find.js';
import { DOCS, type Manual, type Page, pageFolders, plain, readManual } from '../manual/pages.js';
import type { Entry, Section } from '../manual/sections.js';
import { draw } from '../manual/terminal.js';

/** Pages of one topic that are listed, each with a line; of more, the codes of errors say, there are the names alone. */
const MAX_LISTED = 30;

/** Print the manual that this version of the package brings, or serve it. It needs no project. */
export async function run({ flags, operands }: CommandRun): Promise<void> {
  const word = operands.join(' ').trim();
  if (flags.serve === true) {
    if (word !== '') throw new UsageError(`fwk docs --serve takes no word, not "${word}".`, 'FWK604');
    return (await import('../manual/serve.js')).serveManual(flags);
  }
  const manual = read(String(flags.dir));
  console.log(word === '' ? contents(manual) : answer(manual, word));
}

function read(dir: string): Manual {
  try {
    return readManual(pageFolders(resolve(dir)));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new BootError({
      message: `The manual is missing: there is no ${DOCS}. Install fwkit again.`,
      code: 'FWK611',
    });
  }
}

const columns = (): number | undefined => process.stdout.columns;

/** The pages by topic. */
function contents(manual: Manual): string {
  const shown = (page: Page): string => page.name;
  const widest = Math.max(...[...manual.pages.values()].map((page) => shown(page).length));
  const topics = manual.topics.map(({ title, pages }) => {
    const isLong = pages.length > MAX_LISTED;
    const listed = isLong ? pages.filter(({ file }) => file.endsWith('/README.md')) : pages;
    const rows = listed.map((page) => `  ${kleur.cyan(shown(page).padEnd(widest))}  ${short(page, widest)}`);
    const names = pages
      .filter((page) => !listed.includes(page))
      .map((page) => page.name.split('/').at(-1) ?? '');
    const more = names.length === 0 ? [] : [`  ${names.length} pages, ${names[0]} to ${names.at(-1)}`];
    return [kleur.bold(title), ...rows, ...more].join('\n');
  });
  const hint = `fwk docs <page> prints one; fwk docs <word> what is said of an option, a name or an error.
fwk docs --serve shows them in a browser. The files are in ${DOCS}`;
  return [...topics, hint].join('\n\n');
}

/** What a page is about, in what is left of a line. */
function short({ line, title }: Page, widest: number): string {
  const text = line || title;
  const room = Math.max(30, (columns() ?? Number.POSITIVE_INFINITY) - widest - 4);
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}

function answer(manual: Manual, word: string): string {
  const found = find(manual, word);
  switch (found.kind) {
    case 'page':
      return withAlso(drawPage(manual, found.page), found.also);
    case 'section':
      return withAlso(drawSection(manual, found.section), found.also);
    case 'entries':
      return [
        ...found.entries.map((entry) => drawEntry(manual, entry)),
        ...(found.section ? [drawSection(manual, found.section)] : []),
      ].join('\n\n');
    case 'several':
      return `${found.sections.length} places are about "${word}". Give one of them to fwk docs:\n\n${listed(found.sections)}`;
    default: {
      const advice =
        found.similar.length === 0
          ? ''
          : ` Did you mean ${found.similar.map((name) => `"${name}"`).join(', ')}?`;
      throw new BootError({
        message: `The manual says nothing of "${word}".${advice} fwk docs lists its pages.`,
        code: 'FWK604',
      });
    }
  }
}

const addressOf = ({ page, id }: Section): string => (id === '' ? page.name : `${page.name}#${id}`);

function listed(sections: readonly Section[]): string {
  const widest = Math.max(...sections.map((section) => addressOf(section).length));
  return sections
    .map((section) => {
      const title = section.id === '' ? section.title : `${section.page.title} › ${section.title}`;
      return `  ${kleur.cyan(addressOf(section).padEnd(widest))}  ${title}`;
    })
    .join('\n');
}

const withAlso = (text: string, also: readonly Section[]): string =>
  also.length === 0 ? text : `${text}\n\n${kleur.dim('See also:')}\n${listed(also)}`;

const drawPage = (manual: Manual, page: Page): string => draw(manual, page, page.text.trim(), columns());

function drawSection(manual: Manual, section: Section): string {
  const { page, id, whole, text, title } = section;
  const place = kleur.dim(`${page.shown}${id === '' ? '' : ` › ${title}`}`);
  const part = id === '' ? `# ${title}\n\n${text}` : whole;
  return `${place}\n\n${draw(manual, page, part.trim(), columns())}`;
}

function drawEntry(manual: Manual, { section, names, cells }: Entry): string {
  const rows = cells
    .filter(([, text]) => text !== '')
    .map(([heading, text]) => {
      const label = cells.length > 1 && heading !== '' ? `${heading}: ` : '';
      return draw(manual, section.page, label + text, columns());
    });
  const place = kleur.dim(`${section.page.shown}${section.id === '' ? '' : ` › ${plain(section.title)}`}`);
  const head = kleur.bold(names.join(', '));
  return [place, '', head, ...rows.map((row) => row.replace(/^/gm, '  '))].join('\n');
}
