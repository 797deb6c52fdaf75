import type { Blind, Unit } from './facts.js';
import type { Imported } from './imported.js';
import { idOf, type UnitId } from './unit-id.js';
import type { Part } from './units.js';

/** The names that a unit may say more than one of. */
type Names = 'uses' | 'later' | 'env' | 'views' | 'builtins' | 'net';

// Most units have few of all that they may have: thousands of empty sets would take longer than all the rest.
const NO_NAMES: ReadonlySet<string> = new Set();
const NO_IMPORTS: readonly Imported[] = [];
const NO_BLIND: readonly Blind[] = [];

/** A unit, to which is added what is found in its text. */
export class UnitFacts implements Unit {
  readonly id: UnitId;
  readonly name: string;
  readonly isState: boolean;
  readonly isWritten: boolean;
  readonly runsOnImport: boolean;
  uses = NO_NAMES;
  imports = NO_IMPORTS;
  later = NO_NAMES;
  env = NO_NAMES;
  views = NO_NAMES;
  builtins = NO_NAMES;
  net = NO_NAMES;
  blind = NO_BLIND;

  constructor(file: string, { name, isState, isWritten, runsOnImport }: Part) {
    this.id = idOf(file, name);
    this.name = name;
    this.isState = isState;
    this.isWritten = isWritten;
    this.runsOnImport = runsOnImport;
  }

  add(kind: Names, name: string): void {
    const known = this[kind];
    if (known === NO_NAMES) this[kind] = new Set([name]);
    else (known as Set<string>).add(name);
  }

  import(one: Imported): void {
    if (this.imports === NO_IMPORTS) this.imports = [one];
    else (this.imports as Imported[]).push(one);
  }

  lose(blind: Blind): void {
    if (this.blind === NO_BLIND) this.blind = [blind];
    else (this.blind as Blind[]).push(blind);
  }
}
