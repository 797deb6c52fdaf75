import type { ProviderInfo } from 'fwkit/plugin';
import {
  ALL,
  fileOf,
  type Graph,
  INIT,
  idOf,
  isAny,
  MADE,
  type Read,
  type UnitId,
  unitOf,
  VALUE,
} from '../graph/index.js';

/** A value of `ctx` that a session keeps, or one member of it: `*` for all of it. */
export interface Kept {
  readonly key: string;
  readonly member: string;
}

export const nameOf = ({ key, member }: Kept): string => `ctx.${key}.${member}`;

/** Whether who reads `read` finds there what was written to `kept`. */
export const finds = (
  read: Kept & { readonly isAssigned?: true | undefined },
  { key, member }: Kept,
): boolean =>
  read.key === ALL ||
  (read.key === key &&
    read.isAssigned !== true &&
    read.member !== MADE &&
    (read.member === member || read.member === ALL || member === ALL));

const SESSION = /\blifetime\s*:\s*['"`]session['"`]/;

/** The session values of one version of a project, and who has to do with each. */
export class SessionValues {
  /** Units that change a value, or that call what does: by what they change. */
  readonly writers: readonly { readonly kept: Kept; readonly units: ReadonlySet<UnitId> }[];
  readonly keys: readonly string[];
  readonly #ids: readonly UnitId[];
  readonly #homes: ReadonlySet<string>;
  /** Values of a request that hand on what is in a session: by key, those of the session. */
  readonly #handing = new Map<string, readonly string[]>();

  /** `providers`: of the project as it is. */
  constructor(
    private readonly graph: Graph,
    providers: readonly ProviderInfo[],
  ) {
    const known = new Set(providers.filter(({ lifetime }) => lifetime === 'session').map(({ key }) => key));
    this.keys = [...graph.providers]
      .filter(([key, file]) => known.has(key) || SESSION.test(graph.modules.get(file)?.text ?? ''))
      .map(([key]) => key);
    this.#homes = new Set(graph.providers.values());
    this.#ids = [];
    this.writers = [];
    if (this.keys.length === 0) return;
    this.#ids = [...graph.modules.values()].flatMap(({ file, units }) =>
      [...units.keys()].map((unit) => idOf(file, unit)),
    );
    for (const [key, file] of graph.providers)
      if (!this.keys.includes(key) && graph.modules.has(file)) this.#handing.set(key, this.#behind(key));
    this.writers = this.#findWriters();
  }

  /** Units that find what was written. */
  readersOf(kept: Kept): UnitId[] {
    return this.#ids.filter((id) => this.graph.reads(id).some((read) => finds(read, kept)));
  }

  /** What a read changes. */
  writtenBy({ key, member, isWriting }: Omit<Read, 'line'>): Kept[] {
    if (!isWriting) return [];
    if (!this.keys.includes(key))
      return (this.#handing.get(key) ?? []).map((one) => ({ key: one, member: ALL }));
    return [{ key, member: member === VALUE || member === MADE ? ALL : member }];
  }

  #behind(key: string): string[] {
    const { touched } = this.graph.reachOf(this.graph.behind(key));
    return this.keys.filter((one) => touched.has(one));
  }

  #findWriters(): SessionValues['writers'] {
    const found = new Map<string, { readonly kept: Kept; readonly units: Set<UnitId> }>();
    const note = (id: UnitId, kept: Kept): void => {
      const known = found.get(nameOf(kept)) ?? { kept, units: new Set() };
      found.set(nameOf(kept), known);
      known.units.add(id);
    };
    for (const id of this.#ids) {
      for (const read of this.graph.reads(id)) for (const kept of this.writtenBy(read)) note(id, kept);
      if (this.#endsSession(id)) for (const key of this.keys) note(id, { key, member: ALL });
    }
    return [...found.values()].map(({ kept, units }) => ({ kept, units: this.#withCallers(units) }));
  }

  #endsSession(id: UnitId): boolean {
    const imports = this.graph.modules.get(fileOf(id))?.units.get(unitOf(id))?.imports ?? [];
    return imports.some(isEnding);
  }

  /** These, and who calls them. What makes a value of `ctx` runs for whoever asks first, and is called by nobody. */
  #withCallers(units: ReadonlySet<UnitId>): Set<UnitId> {
    const found = new Set(units);
    for (const id of found) {
      if (this.#isMade(id)) continue;
      for (const user of this.graph.usersOf(id)) if (!isAny(user) && unitOf(user) !== INIT) found.add(user);
    }
    return found;
  }

  #isMade(id: UnitId): boolean {
    const file = fileOf(id);
    if (unitOf(id) === INIT) return true;
    const isSplit = (this.graph.modules.get(file)?.members.length ?? 0) > 0;
    return this.#homes.has(file) && isSplit && unitOf(id) === 'default';
  }
}

/** `endSession` of fwkit, after which a session keeps nothing. */
export const isEnding = ({
  specifier,
  name,
}: {
  readonly specifier: string;
  readonly name: string;
}): boolean => specifier === 'fwkit' && name === 'endSession';
