import {
  type Blind,
  type Entrance,
  type Facts,
  idOf,
  keyOf,
  type Read,
  type Stream,
  type UnitId,
} from '../facts/facts.js';
import { ALL, type Followed, type Handed, MADE, type Target } from '../facts/flow.js';
import type { Linker } from './linker.js';

interface Linked {
  readonly modules: ReadonlyMap<string, Facts>;
  readonly linker: Linker;
  readonly providers: ReadonlyMap<string, string>;
  readonly entries: Iterable<string>;
}

/** Where `ctx` goes in all modules. */
export interface Streams {
  /** By the unit that reads; each once, in the first of the lines. */
  readonly reads: ReadonlyMap<UnitId, readonly Read[]>;
  readonly losses: readonly { readonly id: UnitId; readonly blind: Blind }[];
}

/** Two reads of the same by one unit. */
const both = (known: Read, one: Read): Read => ({
  key: one.key,
  member: one.member,
  line: Math.min(known.line, one.line),
  isWriting: known.isWriting ?? one.isWriting,
  isAssigned: known.isAssigned && one.isAssigned,
});

/** A read without the unit that it stands in. */
const readOf = ({ key, member, line, isWriting, isAssigned }: Read): Read => ({
  key,
  member,
  line,
  isWriting,
  isAssigned,
});

/** Follow `ctx` from module to module, until nothing new is found. */
export function streams({ modules, linker, providers, entries }: Linked): Streams {
  const reads = new Map<UnitId, Read[]>();
  const losses = new Map<string, Streams['losses'][number]>();
  const seen = new Set<string>();
  const held = new Set<string>();
  const todo: (readonly [facts: Facts, entrance: Entrance])[] = [];
  const enter = (facts: Facts, entrance: Entrance): void => {
    const key = `${facts.file}\n${keyOf(entrance)}`;
    if (seen.has(key)) return;
    seen.add(key);
    todo.push([facts, entrance]);
  };
  const lose = (file: string, unit: string, blind: Blind): void => {
    const id = idOf(file, unit);
    losses.set(`${id}\n${blind.line}\n${blind.why}`, { id, blind });
  };

  const read = ({ file, units }: Facts, unit: string, one: Read): void => {
    const id = units.get(unit)?.id ?? idOf(file, unit);
    const known = reads.get(id);
    if (!known) return void reads.set(id, [readOf(one)]);
    const at = known.findIndex(({ key, member }) => key === one.key && member === one.member);
    const before = known[at];
    if (before) known[at] = both(before, one);
    else known.push(readOf(one));
  };

  /** Any property of that name may hold it, in any module. */
  const hold = (entrance: Entrance & { readonly kind: 'property' }): void => {
    const key = keyOf(entrance);
    if (held.has(key)) return;
    held.add(key);
    for (const one of modules.values()) if (one.properties.has(entrance.name)) enter(one, entrance);
  };

  const take = (facts: Facts, stream: Stream): void => {
    const { file } = facts;
    for (const one of stream.reads) read(facts, one.unit, one);
    for (const { unit, blind } of stream.losses) lose(file, unit, blind);
    for (const { unit, key, target, index, line } of stream.handed)
      if (isChangedBy(facts, target, index)) read(facts, unit, { key, member: MADE, line, isWriting: true });
    for (const { property, value } of stream.holds) {
      const entrance = { kind: 'property', name: property, value } as const;
      // A private name is another one in each module.
      if (property.startsWith('#')) enter(facts, entrance);
      else hold(entrance);
    }
    for (const { unit, target, index, value, line } of stream.passes) {
      if (hand(facts, target, index, value)) continue;
      if (value.key !== undefined) {
        read(facts, unit, { key: value.key, member: ALL, line });
        continue;
      }
      const why = `ctx is handed to ${'name' in target ? target.name : `ctx.${target.key}`}, which cannot be followed`;
      lose(file, unit, { line, why, isModule: false });
    }
  };

  /** Whether all functions that are meant are known. */
  const hand = (facts: Facts, target: Target, index: number, value: Followed): boolean => {
    const homes = targets(facts, target);
    const known = homes.map(([home, unit]) => {
      const to = modules.get(home);
      const entrance: Entrance = { kind: 'parameter', unit, index, value };
      if (!to?.flow(entrance)) return false;
      enter(to, entrance);
      return true;
    });
    return homes.length > 0 && !known.includes(false);
  };

  const isChangedBy = (facts: Facts, target: Handed, index: number): boolean =>
    'method' in target
      ? [...providers.values()].some((file) => modules.get(file)?.changes(`default.${target.method}`, index))
      : targets(facts, target).some(([home, unit]) => modules.get(home)?.changes(unit, index));

  const targets = ({ file }: Facts, target: Target): readonly (readonly [file: string, unit: string])[] => {
    if ('key' in target) {
      const home = providers.get(target.key);
      return home === undefined ? [] : [[home, `default.${target.member}`]];
    }
    const to = linker.destination(file, target.specifier);
    if (to.kind !== 'file') return [];
    const { units, outside } = linker.find(to.file, target.name);
    return outside.length > 0 ? [] : units;
  };

  const conventions = new Set(entries);
  for (const facts of modules.values()) {
    enter(facts, { kind: 'wrappers' });
    if (!conventions.has(facts.file)) continue;
    enter(facts, { kind: 'convention' });
    // What a file hands on is made elsewhere.
    for (const name of facts.exports.has('default') ? ['default'] : facts.exports.keys())
      for (const [home, unit] of linker.find(facts.file, name).units) {
        const made = modules.get(home);
        if (made && home !== facts.file)
          enter(made, unit === 'default' ? { kind: 'convention' } : { kind: 'convention', unit });
      }
  }
  for (let next = todo.pop(); next; next = todo.pop()) {
    const [facts, entrance] = next;
    const stream = facts.flow(entrance);
    if (stream) take(facts, stream);
  }
  return { reads, losses: [...losses.values()] };
}
