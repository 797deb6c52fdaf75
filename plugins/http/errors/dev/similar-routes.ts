import type { BaseRoute } from '../../../../kernel/index.js';

/** A route as the 404 page shows it. */
export type ListedRoute = Pick<BaseRoute, 'label' | 'file'> & { readonly path: string };

/** The number of routes that are listed, and how similar their paths must be, from 0 to 1. */
const MAX_SHOWN_ROUTES = 5;
const MIN_SIMILARITY = 0.6;

export function similarRoutes(path: string, routes: readonly ListedRoute[]): readonly ListedRoute[] {
  const requested = path.toLowerCase();
  const given = requested.split('/');
  const wanted = pairs(requested);
  return routes
    .map((route) => ({
      route,
      similarity: likeness(wanted, pairs(filledIn(route.path.toLowerCase(), given))),
    }))
    .filter(({ similarity: like }) => like >= MIN_SIMILARITY)
    .sort((a, b) => b.similarity - a.similarity || (a.route.label < b.route.label ? -1 : 1))
    .slice(0, MAX_SHOWN_ROUTES)
    .map(({ route }) => route);
}

/** Replace parameters by requested segments: `/users/:id` is as similar to `/user/7` as `/users/7` is. */
function filledIn(pattern: string, given: readonly string[]): string {
  return pattern
    .split('/')
    .map((segment, index) => {
      if (segment.startsWith('*')) return given.slice(index).join('/');
      return segment.startsWith(':') ? (given[index] ?? '') : segment;
    })
    .join('/');
}

/** The share of letter pairs that two texts have in common (Sørensen–Dice). Linear, unlike an edit distance. */
function likeness(first: ReadonlySet<string>, second: ReadonlySet<string>): number {
  const both = [...first].filter((pair) => second.has(pair)).length;
  return (2 * both) / Math.max(first.size + second.size, 1);
}

function pairs(text: string): Set<string> {
  const rooted = `/${text}`;
  return new Set(Array.from(text, (_, index) => rooted.slice(index, index + 2)));
}
