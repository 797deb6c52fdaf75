import type { BaseRoute, Output, ProblemCode, Project } from '../kernel/index.js';

declare module '../kernel/plugin.js' {
  interface Contributor {
    /** Its rules for `fwk doctor`, loaded for that alone. */
    readonly doctor?: () => Promise<Doctor>;
  }
}

/** Something of a project that is legal, and likely not what was meant. */
export interface Finding {
  /** The name of the rule, in kebab-case: `unused-value`. People leave it out by that name. */
  readonly rule: string;
  /** Where more is said of it: `npx fwk docs FWK314`. A plugin has its own, such as `ACME-12`, or none. */
  readonly code?: ProblemCode;
  /** Relative to the project root; absent where it is of no file. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** What is so, and why it matters: whole sentences, or what completes `file` to them. Nothing secret. */
  readonly message: string;
  /** What to do: a sentence. */
  readonly fix: string;
  /** What to write for that, where nothing of the user's can get lost; absent where a person has to decide. */
  readonly outputs?: readonly Output[];
}

/** A project, as a doctor gets it. */
export interface Examination {
  /** Not resolved where it does not boot. */
  readonly project: Project;
  /** Undefined where the project does not boot. */
  readonly routes: readonly BaseRoute[] | undefined;
  /** The texts of the project's own modules, tests and scripts too, by path relative to the root. */
  readonly sources: ReadonlyMap<string, string>;
}

/** A plugin's rules for `fwk doctor`. */
export interface Doctor {
  /** Find what smells. Reads; must not write, nor import project code. */
  examine(examination: Examination): readonly Finding[] | Promise<readonly Finding[]>;
}
