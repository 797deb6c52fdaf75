import { resolve } from 'node:path';
import kleur from 'kleur';
import type { CommandRun } from '../../contributions/index.js';
import { BootError } from '../../kernel/index.js';
import { find } from '../manual/find.js';
import { DOCS, type Manual, type Page, pageFolders, plain, readManual } from '../manual/pages.js';
import { addressOf, type Entry, type Section } from '../manual/sections.js';
import { draw } from '../manual/terminal.js';

export async function run({ flags, operands }: CommandRun): Promise<void> {
  const words = operands.join(' ').trim();
  const manual = read(String(flags.dir));
  console.log(words === '' ? contents(manual) : answer(manual, words));
}

function read(dir: string): Manual {
  try {
    return readManual(pageFolders(resolve(dir)));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new BootError({
      message: `The documentation is missing: ${DOCS} does not exist. Install fwkit again.`,
      code: 'FWK611',
    });
  }
}

const columns = (): number | undefined => process.stdout.columns;

function contents(manual: Manual): string {
  const widest = Math.max(...[...manual.pages.keys()].map((name) => name.length));
  const topics = manual.topics.map(({ title, pages }) => {
    const rows = pages.map((page) => `  ${kleur.cyan(page.name.padEnd(widest))}  ${short(page, widest)}`);
    return [kleur.bold(title), ...rows].join('\n');
  });
  const hint = `fwk docs <page> prints a page. fwk docs <word> finds an option, a name, an error code or a topic.
The files are in ${DOCS}`;
  return [...topics, hint].join('\n\n');
}

function short({ line, title }: Page, widest: number): string {
  const text = line || title;
  const room = Math.max(30, (columns() ?? Number.POSITIVE_INFINITY) - widest - 4);
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}

function answer(manual: Manual, word: string): string {
  const found = find(manual, word);
  switch (found.kind) {
    case 'section': {
      const { page, id } = found.section;
      const text =
        id === '' ? draw(manual, page, page.text.trim(), columns()) : drawSection(manual, found.section);
      return withAlso(text, found.also);
    }
    case 'entries':
      return [
        ...found.entries.map((entry) => drawEntry(manual, entry)),
        ...(found.section ? [drawSection(manual, found.section)] : []),
      ].join('\n\n');
    case 'several':
      return `${found.sections.length} places mention "${word}". Pass one of them to fwk docs:\n\n${listed(found.sections)}`;
    default: {
      const advice =
        found.similar.length === 0
          ? ''
          : ` Did you mean ${found.similar.map((name) => `"${name}"`).join(', ')}?`;
      throw new BootError({
        message: `The documentation has nothing about "${word}".${advice} fwk docs lists all pages.`,
        code: 'FWK604',
      });
    }
  }
}

function listed(sections: readonly Section[]): string {
  const widest = Math.max(...sections.map(({ page, id }) => addressOf(page, id).length));
  return sections
    .map(({ page, id, title }) => {
      const place = id === '' ? title : `${page.title} › ${title}`;
      return `  ${kleur.cyan(addressOf(page, id).padEnd(widest))}  ${place}`;
    })
    .join('\n');
}

const withAlso = (text: string, also: readonly Section[]): string =>
  also.length === 0 ? text : `${text}\n\n${kleur.dim('See also:')}\n${listed(also)}`;

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
