import type { Group } from './endpoints.js';

/** A file that differs from what it was. All files of a report are relative to the root of the project. */
export interface ChangedFile {
  readonly file: string;
  /** What of it: names of declarations and members of a module; empty where nothing that runs is another. */
  readonly parts: readonly string[];
  /** In a few words, what was taken into account: `types and comments only`; or why nothing is reached. Absent where all is said by what is. */
  readonly note?: string;
}

/** What a change reaches: a request for it may be answered in another way. */
export interface Reached {
  readonly label: string;
  readonly file: string;
  readonly kind: string;
  /** The files on the way from the changed one to it; empty where it is reached because of something else, which `why` says. */
  readonly by: readonly string[];
  /** Set where it is reached by another rule than by its code. */
  readonly why?: string;
  /** Set where it is no more. */
  readonly isGone?: true;
}

/** Data that may carry a change further than code does. */
export interface Shared {
  /** `database`, `login`: the key of `ctx`; a file, where a module holds what changes. */
  readonly through: string;
  /** Labels of all that uses it. */
  readonly endpoints: readonly string[];
}

/** A place from which anything may be reached: what goes by there is part of each answer. */
export interface BlindPlace {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly why: string;
}

/** What `fwk impact --json` prints. */
export interface Impact extends Readonly<Record<Group, readonly Reached[]>> {
  readonly version: 1;
  /** The ref that was asked for, and the commit that the change began with. */
  readonly since?: string;
  readonly base?: string;
  readonly changed: readonly ChangedFile[];
  /** Sentences that say why all there is counts as reached; empty where it does not. */
  readonly everything: readonly string[];
  readonly tests: readonly string[];
  readonly shared: readonly Shared[];
  readonly blind: readonly BlindPlace[];
  /** What keeps changed files from being read, or the project from being started: each a line, with its file. */
  readonly problems: readonly string[];
  /** How many there are, changed or not. */
  readonly total: Readonly<Record<'endpoints' | 'tests', number>>;
}

export const GROUPS: readonly Group[] = ['routes', 'pages', 'sockets', 'tools', 'jobs', 'files'];

export const reachedOf = (impact: Impact): readonly Reached[] => GROUPS.flatMap((group) => impact[group]);
