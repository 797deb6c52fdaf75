import { type Page, plain } from './pages.js';

/** A part of a page, from one heading to the next. */
export interface Section {
  readonly page: Page;
  /** Without markup. */
  readonly title: string;
  /** As links name it; '' is what stands below the title of the page. */
  readonly id: string;
  readonly level: number;
  /** Markdown, without the heading, as far as the next heading. */
  readonly text: string;
  /** The same with the sections within it, and the heading. */
  readonly whole: string;
}

/** What a heading is called in links: as GitHub does. */
export const headingId = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** Sections are asked for by every search. */
const known = new WeakMap<Page, readonly Section[]>();

/** The sections of a page, in order. The first is what stands before the first heading below the title. */
export function sectionsOf(page: Page): readonly Section[] {
  let sections = known.get(page);
  if (!sections) {
    sections = divide(page);
    known.set(page, sections);
  }
  return sections;
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
