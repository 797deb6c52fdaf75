import { distance } from 'fastest-levenshtein';
import type { Manual, Page } from './pages.js';
import { isLookedUp, normal, pagesOn, search, singular } from './search.js';
import { type Entry, entriesCalled, entriesNamed, entriesOf, type Section, sectionsOf } from './sections.js';

/** What somebody who gives a word is shown. */
export type Found =
  | { readonly kind: 'page'; readonly page: Page; readonly also: readonly Section[] }
  | { readonly kind: 'section'; readonly section: Section; readonly also: readonly Section[] }
  | {
      readonly kind: 'entries';
      readonly entries: readonly Entry[];
      /** The section of the guide that says most of it. */
      readonly section: Section | undefined;
    }
  | { readonly kind: 'several'; readonly sections: readonly Section[] }
  | { readonly kind: 'none'; readonly similar: readonly string[] };

/** Rows of the reference that are shown together. */
const MAX_ENTRIES = 6;
const MAX_CHOICES = 10;
/** By how much the best section has to lead to be shown at once. */
const LEAD = 1.5;

/** What goes by a word, several words, the path of a page, or `page#section`. */
export function find(manual: Manual, question: string): Found {
  const asked = question.trim().replace(/^(?:\.\/)?docs\//, '');
  const [path = '', id] = asked.split('#', 2);
  const named = pagesNamed(manual, path.replace(/\.md$/, ''));
  if (id !== undefined && id !== '') {
    const sections = named.flatMap((page) =>
      sectionsOf(page).filter((one) => one.id === id || normal(one.id) === normal(id)),
    );
    if (sections[0] && sections.length === 1) return { kind: 'section', section: sections[0], also: [] };
    if (sections.length > 1) return { kind: 'several', sections };
  }
  const [page, ...others] = named;
  if (page && others.length === 0) return { kind: 'page', page, also: alsoAbout(manual, asked, page) };
  if (page) return { kind: 'several', sections: named.flatMap((one) => sectionsOf(one).slice(0, 1)) };

  // `auth` and `reload` are names in code, but who writes them like any word may mean something else, too.
  const isEveryday = /^[\p{Ll}\p{N} ]+$/u.test(asked);
  const called = entriesCalled(manual, asked);
  const entries = entriesNamed(manual, asked);
  const [topic, ...related] = pagesOn(asked).flatMap((name) => manual.pages.get(name) ?? []);
  if (topic && (isEveryday || called.length === 0)) {
    const first = related.flatMap((one) => sectionsOf(one).slice(0, 1));
    const also = [...first, ...entries.map(({ section }) => section)];
    return { kind: 'page', page: topic, also: [...new Set(also)] };
  }
  if (called.length > 0) return shown(manual, asked, called);

  const [plural] = pagesCalled(manual, asked);
  if (plural) return { kind: 'page', page: plural, also: alsoAbout(manual, asked, plural) };

  const [best, second, ...rest] = search(manual, asked, MAX_CHOICES);
  if (entries.length > 0 && !(isEveryday && best && saysHow(best.section.page)))
    return shown(manual, asked, entries);

  const headed = [...manual.pages.values()]
    .flatMap(sectionsOf)
    .filter(({ title }) => normal(title) === normal(asked) && normal(asked) !== '');
  if (headed[0] && headed.length === 1) return { kind: 'section', section: headed[0], also: [] };
  if (headed.length > 1) return { kind: 'several', sections: headed.slice(0, MAX_CHOICES) };

  if (!best) return { kind: 'none', similar: similarTo(manual, asked) };
  if (!second || best.score >= second.score * LEAD)
    return {
      kind: 'section',
      section: best.section,
      also: [...(second ? [second] : []), ...rest].slice(0, 3).map(({ section }) => section),
    };
  return { kind: 'several', sections: [best, second, ...rest].map(({ section }) => section) };
}

/** Pages by their path, or by its last part: `guide/sessions`, `sessions`, `fwk104`, `rateLimit`. */
export function pagesNamed(manual: Manual, name: string): readonly Page[] {
  const exact = manual.pages.get(name);
  if (exact) return [exact];
  const asked = normal(name);
  if (asked === '') return [];
  return [...manual.pages.values()].filter(
    (page) =>
      normal(page.name) === asked ||
      (!name.includes('/') && normal(page.name.split('/').at(-1) ?? '') === asked),
  );
}

/** Pages whose name or title is a word in the plural, or in the singular; those that say how come first. */
const pagesCalled = (manual: Manual, asked: string): readonly Page[] =>
  [...manual.pages.values()]
    .filter(({ name, title }) =>
      [name.split('/').at(-1) ?? '', title].some((one) => singular(one) === singular(asked) && one !== ''),
    )
    .sort((a, b) => Number(isLookedUp(a)) - Number(isLookedUp(b)));

const saysHow = (page: Page): boolean => !isLookedUp(page) && !page.name.startsWith('reference/');

const shown = (manual: Manual, asked: string, entries: readonly Entry[]): Found => ({
  kind: 'entries',
  entries: entries.slice(0, MAX_ENTRIES),
  section: bestFor(manual, asked, entries),
});

/** Where else a word is at home that is the name of a page. */
function alsoAbout(manual: Manual, asked: string, page: Page): readonly Section[] {
  const sections = entriesOf(manual)
    .filter(({ names }) => names.some((name) => name === asked || name.startsWith(`${asked}.`)))
    .map(({ section }) => section);
  const alike = pagesCalled(manual, asked).flatMap((one) => sectionsOf(one).slice(0, 1));
  return [...new Set([...alike, ...sections])].filter((section) => section.page !== page);
}

/** The section that speaks most of a name: of the pages that its rows link to, or else of all but the reference. */
function bestFor(manual: Manual, asked: string, entries: readonly Entry[]): Section | undefined {
  const linked = new Set(entries.flatMap(({ pages }) => pages));
  const hits = search(manual, asked.replace(/^--|^fwk /, ''), 100).filter(
    ({ section }) => !section.page.name.startsWith('reference/'),
  );
  return (hits.find(({ section }) => linked.has(section.page)) ?? hits[0])?.section;
}

/** Names of pages and of what the reference lists that are written nearly as `asked`; the nearest first. */
function similarTo(manual: Manual, asked: string): readonly string[] {
  const names = [...manual.pages.keys()].map((name) => name.split('/').at(-1) ?? '');
  const known = new Set([...names, ...entriesOf(manual).flatMap((entry) => entry.names)]);
  const code = `FWK${asked}`;
  if (known.has(code)) return [code];
  const limit = Math.max(1, Math.floor(asked.length / 3));
  return [...known]
    .map((name) => ({ name, far: distance(asked.slice(0, 100).toLowerCase(), name.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far)
    .slice(0, 5)
    .map(({ name }) => name);
}
