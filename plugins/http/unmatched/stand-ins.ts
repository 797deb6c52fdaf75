import type { Project } from '../../../kernel/index.js';
import type { HttpRoute } from '../routing/route.js';
import { directoriesOf, type StandIn, standIn } from './stand-in.js';

/** The stand-ins of one version of a project, found by URL or by directory. */
export class StandIns {
  readonly #byUrl: readonly StandIn[];
  readonly #byDirectory: readonly StandIn[];

  constructor(
    all: readonly StandIn[],
    /** The routes of the project, to find similar ones. */
    readonly routes: readonly HttpRoute[],
  ) {
    const depth = ({ prefix = '' }: StandIn): number => prefix.split('/').length;
    const inside = ({ directories }: StandIn): number => directories[0]?.length ?? 0;
    this.#byUrl = all.filter(({ prefix }) => prefix !== undefined).sort((a, b) => depth(b) - depth(a));
    this.#byDirectory = all
      .filter(({ directories }) => directories.length < 2)
      .sort((a, b) => inside(b) - inside(a));
  }

  /** For a URL path that has no route: the one with the longest prefix. A target that is not a path, as `*`, belongs to the root. */
  at(path: string): StandIn {
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
  around(routes: readonly HttpRoute[]): StandIn {
    const inner = routes.flatMap(directoriesOf);
    const isAround = ({ directories: [outer = ''] }: StandIn) => inner.every((one) => one.startsWith(outer));
    return this.#byDirectory.find(isAround) ?? EVERYWHERE;
  }
}

/** Where the project has no layers. */
const EVERYWHERE = standIn('', []);

function decoded(segment: string): string {
  try {
    // An encoded slash stays inside its segment.
    return decodeURIComponent(segment).replaceAll('/', '%2F');
  } catch {
    return segment;
  }
}

const slotOf = (project: Project): { standIns: StandIns } =>
  project.slot('http.stand-ins', () => ({ standIns: new StandIns([], []) }));

export function setStandIns(project: Project, standIns: StandIns): void {
  slotOf(project).standIns = standIns;
}

/** Known once the plugin `http` has resolved. */
export const standInsOf = (project: Project): StandIns => slotOf(project).standIns;
