import type { Finding, Lifecycle, ProjectPaths, Resolved } from '../../kernel/internal.js';

/** A project, as far as it could be opened. */
export interface Subject {
  readonly paths: ProjectPaths;
  /** Undefined where its config cannot be read. */
  readonly kernel: Lifecycle | undefined;
  /** Undefined where it does not boot. */
  readonly resolved: Resolved | undefined;
  /** Directories with what the project makes, absolute: they are looked at by nobody. */
  readonly made: readonly string[];
  /** Absolute paths of what is compiled; undefined where nothing is, or the settings are wrong. */
  readonly compiled: readonly string[] | undefined;
}

/** A rule about projects as a whole. Those of conventions are in the `doctor` of their plugins. */
export type Rule = (subject: Subject) => readonly Finding[] | Promise<readonly Finding[]>;

/** The order of findings: by file, line and rule. */
export const byPlace = (a: Finding, b: Finding): number =>
  (a.file ?? '').localeCompare(b.file ?? '', 'en') ||
  (a.line ?? 0) - (b.line ?? 0) ||
  a.rule.localeCompare(b.rule, 'en');
