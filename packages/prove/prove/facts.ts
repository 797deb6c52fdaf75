import { describeRule, type Exception, type RuleData } from '../policy/rule.js';
import type { Ask, Finding, FindingKind, Proof, Selected, Target } from './findings.js';
import type { Guards } from './guards.js';
import type { Table } from './select.js';

/** What a policy is held against: nothing of it has to be running. */
export interface Facts {
  readonly table: Table;
  readonly guards: Guards;
  /** What no request reaches: labels by file, relative to the source directory. */
  readonly unreachable: ReadonlyMap<string, string>;
  /** The file of a target, as people see it; undefined where it has none. */
  readonly fileOf: (target: Target) => string | undefined;
  /** A file relative to the source directory, as people see it. */
  readonly display: (file: string) => string;
  /** Where in the policy something was written. */
  readonly placeOf: (at: Error) => Place;
}

/** A rule, with what is known of it. */
export interface Checked {
  readonly rule: RuleData;
  readonly text: string;
  /** Without what is excepted. */
  readonly selected: readonly Selected[];
  readonly findings: readonly Finding[];
  readonly proven: readonly Proof[];
  /** What only requests can tell. */
  readonly asks: readonly Ask[];
  readonly excused: readonly Excused[];
  /** Public routes that the rule would have refused to somebody. */
  readonly open: readonly Open[];
  /** Where people look for a target: its file, or the rule. */
  readonly placeOf: (target: Target) => Place;
  readonly losses: readonly Loss[];
}

/** Middlewares that a route should pass and does not, or scopes that a tool should need: in the words of the policy. */
export interface Loss {
  readonly route: string;
  readonly says: string;
}

/** A place in the project, as people see it. */
export type Place = Pick<Finding, 'file' | 'line'>;

/** A route that says of itself that anybody may call it, and what a rule would have refused without that. */
export interface Open {
  readonly target: Selected;
  readonly why: string;
  readonly asks: readonly Ask[];
}

/** An exception of which it is not known yet whether what it leaves out is refused all the same. */
export interface Excused {
  readonly exception: Exception;
  readonly asks: readonly Ask[];
  /** What to report where all of them are refused. */
  readonly stale: Finding;
}

/** What is found out of one rule. */
export class Notes {
  readonly findings: Finding[] = [];
  readonly proven: Proof[] = [];
  readonly losses: Loss[] = [];

  readonly text: string;

  constructor(
    private readonly rule: RuleData,
    private readonly facts: Facts,
  ) {
    this.text = describeRule(rule);
  }

  /** Where people look for a target: its file, or the rule. */
  readonly placeOf = (target: Target): Place => {
    const file = this.facts.fileOf(target);
    return file === undefined ? this.facts.placeOf(this.rule.at) : { file };
  };

  /** A finding about a route. */
  of(target: Target, kind: FindingKind, problem: string, fix: string): void {
    this.findings.push({
      rule: this.text,
      route: target.label,
      ...this.placeOf(target),
      kind,
      problem,
      fix,
    });
  }

  /** A finding about the policy itself, which is of what was written at `at`. */
  ofPolicy(at: Error, kind: FindingKind, problem: string, fix: string): Finding {
    return { rule: this.text, ...this.facts.placeOf(at), kind, problem, fix };
  }

  lose({ label }: Target, says: string): void {
    this.losses.push({ route: label, says });
  }

  prove({ label }: Target, by: string): void {
    this.proven.push({ rule: this.text, route: label, by });
  }
}

/** The questions whether the visitors of a rule are refused. */
export const refusalsOf = (rule: RuleData, target: Selected): readonly Ask[] =>
  rule.refused.map((visitor) => ({ rule, target, visitor, refuses: true }));

export const hasScopes = ({ scopes }: RuleData, { member }: Target): boolean =>
  scopes.every((scope) => member?.scopes?.includes(scope));

/** Where in a chain each of `guards` is; -1 for one that is not. */
export const placesIn = (chain: readonly string[], guards: readonly string[]): readonly number[] =>
  guards.map((guard) => chain.indexOf(guard));

export const isAscending = (places: readonly number[]): boolean =>
  places.every((place, index) => place >= Math.max(places[index - 1] ?? 0, 0));
