import { followLink, type Manual, type Page, plain } from './pages.js';

export interface Section {
  readonly page: Page;
  readonly title: string;
  /** The anchor of the heading; '' for the first section, which is below the page's title. */
  readonly id: string;
  readonly level: number;
  readonly text: string;
  /** Markdown, with the heading and all subsections. */
  readonly whole: string;
}

/** The anchor of a heading, by GitHub's rule. */
const headingId = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** Every search reads all sections. */
const sections = new WeakMap<Page, readonly Section[]>();

/** The sections of a page, in order. The first one is the text between the title and the next heading. */
export function sectionsOf(page: Page): readonly Section[] {
  const known = sections.get(page) ?? divide(page);
  sections.set(page, known);
  return known;
}

function divide(page: Page): Section[] {
  const lines = page.text.split('\n');
  const heads: { readonly line: number; readonly level: number; readonly title: string }[] = [];
  let fence: string | undefined;
  for (const [line, text] of lines.entries()) {
    const mark = /^ *(`{3,}|~{3,})/.exec(text)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      continue;
    }
    fence = mark;
    const [, hashes, title] = /^(#{1,6}) +(.+?)(?: +#+)?$/.exec(text) ?? [];
    if (hashes !== undefined && title !== undefined) heads.push({ line, level: hashes.length, title });
  }
  if (heads[0]?.level !== 1) heads.unshift({ line: -1, level: 1, title: page.title });
  const ids = new Map<string, number>();
  return heads.map(({ line, level, title }, index) => {
    const rest = heads.slice(index + 1);
    const next = rest[0]?.line ?? lines.length;
    const end = rest.find((one) => one.level <= level)?.line ?? lines.length;
    const base = headingId(plain(title));
    const count = ids.get(base) ?? 0;
    ids.set(base, count + 1);
    const id = count === 0 ? base : `${base}-${count}`;
    return {
      page,
      title: plain(title),
      id: index === 0 ? '' : id,
      level,
      text: lines.slice(line + 1, next).join('\n'),
      whole: lines.slice(Math.max(line, 0), end).join('\n'),
    };
  });
}

/** What `fwk docs` takes for a page, or for a heading of it: `guide/sessions`, `guide/sessions#secrets`, `FWK104`. */
export const addressOf = (page: Page, id = ''): string =>
  /^fwk\d{3}-/.test(id) ? id.slice(0, 6).toUpperCase() : page.name + (id === '' ? '' : `#${id}`);

const addresses = new WeakMap<Manual, ReadonlyMap<string, Section>>();

export function sectionsByAddress(manual: Manual): ReadonlyMap<string, Section> {
  const known =
    addresses.get(manual) ??
    new Map(
      [...manual.pages.values()]
        .flatMap(sectionsOf)
        .map((section) => [addressOf(section.page, section.id), section] as const),
    );
  addresses.set(manual, known);
  return known;
}

export const allSections = (manual: Manual): Section[] => [...sectionsByAddress(manual).values()];

/** A row of a table of the reference: an option, a public name, a command, a variable. */
export interface Entry {
  readonly section: Section;
  /** The code in the first column: `rateLimit.window`, `fwk dev`. */
  readonly names: readonly string[];
  /** Each column but the first: its heading, and its Markdown. */
  readonly cells: readonly (readonly [heading: string, text: string])[];
  readonly pages: readonly Page[];
}

const entries = new WeakMap<Manual, readonly Entry[]>();

/** Every row of the tables in reference/ whose first column has code. */
export function entriesOf(manual: Manual): readonly Entry[] {
  const known =
    entries.get(manual) ??
    allSections(manual)
      .filter(({ page }) => page.name.startsWith('reference/'))
      .flatMap((section) => rowsOf(manual, section));
  entries.set(manual, known);
  return known;
}

/** The rows with exactly this name, except for the plugin API, which only authors of plugins know. */
export const entriesCalled = (manual: Manual, name: string): readonly Entry[] =>
  entriesOf(manual).filter(
    ({ names, section }) =>
      section.page.name !== 'reference/plugin-api' && names.some((one) => matches(one, name)),
  );

/** The rows with this name. If there are none: in another case, or options whose last key is this name. */
export function entriesNamed(manual: Manual, name: string): readonly Entry[] {
  const all = entriesOf(manual);
  const exact = all.filter(({ names }) => names.some((one) => matches(one, name)));
  if (exact.length > 0) return exact;
  const lower = name.toLowerCase();
  return all.filter(({ names }) =>
    names.some((one) => matches(one.toLowerCase(), lower) || one.toLowerCase().endsWith(`.${lower}`)),
  );
}

/** `fwk dev [--port 3000]` is named by `dev`, `fwk dev` and `--port`; `get(id)` by `get`. */
function matches(written: string, name: string): boolean {
  if (written === name || written === `--${name}` || written === `${name}()`) return true;
  if (written.replace(/\(.*$/, '') === name) return true;
  const [first, command, ...rest] = written.split(/[\s[\]|]+/);
  if (first !== 'fwk') return false;
  return command === name || `fwk ${command}` === name || (name.startsWith('--') && rest.includes(name));
}

function rowsOf(manual: Manual, section: Section): Entry[] {
  const rows = section.text.split('\n');
  const found: Entry[] = [];
  let head: readonly string[] = [];
  for (const [index, row] of rows.entries()) {
    if (!row.startsWith('|')) continue;
    const cells = cellsOf(row);
    if (/^\|[ :|-]+$/.test(rows[index + 1] ?? '')) head = cells;
    if (/^\|[ :|-]+$/.test(row) || head === cells) continue;
    const [first = '', ...others] = cells;
    const names = [...first.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    if (names.length === 0) continue;
    const links = [...row.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(
      ([, href = '']) => followLink(manual, section.page, href)?.page ?? [],
    );
    found.push({
      section,
      names: names.map(plain),
      cells: others.map((text, column) => [plain(head[column + 1] ?? ''), text] as const),
      pages: [...new Set(links)].filter((page) => page !== section.page),
    });
  }
  return found;
}

/** A bar in code is written `\|`. */
const cellsOf = (row: string): string[] =>
  row
    .replace(/^\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
