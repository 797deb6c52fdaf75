import { nearestFirst } from './nearest.js';
import type { Reachable } from './reachable.js';

/** The routes that words of a person mean: `GET /api/users`, a path, a file or a part of one of them. */
export function selected(all: readonly Reachable[], asked: string): readonly Reachable[] {
  const words = asked
    .trim()
    .toLowerCase()
    .replace(/^src\//, '');
  const exact = all.filter(({ label, file }) =>
    [label, pathOf(label), file].some((one) => one.toLowerCase() === words),
  );
  if (exact.length > 0) return exact;
  return all.filter(({ label, file }) => `${label}\n${file}`.toLowerCase().includes(words));
}

/** Says that there is no such route, and which are most like it. */
export function noSuchRoute(all: readonly Reachable[], asked: string): string {
  const names = all.map(({ label }) => (asked.includes(' ') ? label : pathOf(label)));
  const near = nearestFirst(names, asked).slice(0, 3);
  if (near.length === 0) return `there is no route ${asked}: the project has none.`;
  return `there is no route ${asked}. The nearest: ${near.join(', ')}.`;
}

const pathOf = (label: string): string => label.slice(label.indexOf(' ') + 1);
