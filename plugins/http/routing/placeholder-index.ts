import type { Project } from '../../../kernel/index.js';
import type { Fronts } from './front.js';
import { directoriesOf, type PlaceholderRoute, placeholderRoute } from './placeholders.js';
import type { HttpRoute } from './route.js';

/** The placeholder routes of one version of a project, found by URL or by directory. */
export class PlaceholderIndex {
  readonly #byUrl: readonly PlaceholderRoute[];
  readonly #byDirectory: readonly PlaceholderRoute[];
  /** Set if all have the same fronts, as in most projects. */
  readonly #fronts: { readonly shared: Fronts | undefined } | undefined;

  constructor(all: readonly PlaceholderRoute[]) {
    const depth = ({ prefix = '' }: PlaceholderRoute): number => prefix.split('/').length;
    const inside = ({ directories }: PlaceholderRoute): number => directories[0]?.length ?? 0;
    this.#byUrl = all.filter(({ prefix }) => prefix !== undefined).sort((a, b) => depth(b) - depth(a));
    this.#byDirectory = all
      .filter(({ directories }) => directories.length < 2)
      .sort((a, b) => inside(b) - inside(a));
    const [first, ...others] = this.#byUrl;
    this.#fronts = others.every(({ fronts }) => fronts === first?.fronts)
      ? { shared: first?.fronts }
      : undefined;
  }

  /** What runs in front of a URL path that has no route. */
  frontsAt(path: string): Fronts | undefined {
    return this.#fronts ? this.#fronts.shared : this.at(path).fronts;
  }

  /** Whether anything runs in front of any of them. */
  get hasFronts(): boolean {
    return this.#byUrl.some(({ fronts }) => fronts !== undefined);
  }

  /** For a URL path that has no route: the one with the longest prefix. A target that is not a path, as `*`, belongs to the root. */
  at(path: string): PlaceholderRoute {
    if (!path.startsWith('/')) return this.at('/');
    const read = path.includes('%') ? path.split('/').map(decoded).join('/') : path;
    for (const one of this.#byUrl) {
      const { prefix = '' } = one;
      if (read.startsWith(prefix) && (read.length === prefix.length || read.charAt(prefix.length) === '/'))
        return one;
    }
    return EVERYWHERE;
  }

  /** For a URL that is answered under other methods, by these routes: the one whose layers are around all of them. */
  around(routes: readonly HttpRoute[]): PlaceholderRoute {
    const inner = routes.flatMap(directoriesOf);
    const isAround = ({ directories: [outer = ''] }: PlaceholderRoute) =>
      inner.every((one) => one.startsWith(outer));
    return this.#byDirectory.find(isAround) ?? EVERYWHERE;
  }
}

/** Where the project has no layers. */
const EVERYWHERE = placeholderRoute('', []);

function decoded(segment: string): string {
  try {
    // An encoded slash stays inside its segment.
    return decodeURIComponent(segment).replaceAll('/', '%2F');
  } catch {
    return segment;
  }
}

const holderOf = (project: Project): { index: PlaceholderIndex } =>
  project.slot('http.placeholders', () => ({ index: new PlaceholderIndex([]) }));

export function setPlaceholders(project: Project, index: PlaceholderIndex): void {
  holderOf(project).index = index;
}

/** Known once the plugin `http` has resolved. */
export const placeholdersOf = (project: Project): PlaceholderIndex => holderOf(project).index;
