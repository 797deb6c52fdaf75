import type { Ask, Finding, FindingKind, Proof, Selected, Target } from './findings.js';
import { type Guards, namesOf } from './guards.js';
import { alternativesOf, matcherOf } from './pattern.js';
import { describeRule, type Exception, type RuleData } from './rule.js';
import { bareOf, METADATA, METADATA_ADVICE, type Table, toolPath } from './targets.js';

/** What a policy is held against: nothing of it has to be running. */
interface Facts {
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
interface Loss {
  readonly route: string;
  readonly says: string;
}

/** A place in the project, as people see it. */
type Place = Pick<Finding, 'file' | 'line'>;

/** A route that says of itself that anybody may call it, and what a rule would have refused without that. */
interface Open {
  readonly target: Selected;
  readonly why: string;
  readonly asks: readonly Ask[];
}

/** An exception of which it is not known yet whether what it leaves out is refused all the same. */
interface Excused {
  readonly exception: Exception;
  readonly asks: readonly Ask[];
  /** What to report where all of them are refused. */
  readonly stale: Finding;
}

/** Hold one rule against the chains of routes. What only requests can tell is asked for. */
export function checkRule(rule: RuleData, facts: Facts): Checked {
  const notes = new Notes(rule, facts);
  const guards = guardsOf(rule, facts, notes);
  const all = facts.table.select(rule);
  const { selected, excused } = applyExceptions(rule, all, guards, facts, notes);
  if (selected.length === 0) notes.findings.push(emptyRule(rule, all.length, facts, notes));
  else notes.findings.push(...emptyParts(rule, facts, notes));
  const asks: Ask[] = [];
  const open: Open[] = [];
  for (const target of selected) {
    checkChain(rule, target, guards, facts, notes);
    checkScopes(rule, target, notes);
    const why = reasonOf(target, notes);
    if (why === undefined) asks.push(...refusalsOf(rule, target));
    else if (rule.refused.length > 0) open.push({ target, why, asks: refusalsOf(rule, target) });
    asks.push(...rule.admitted.map((visitor) => ({ rule, target, visitor, refuses: false })));
  }
  const { text, findings, proven, losses, placeOf } = notes;
  return { rule, text, selected, findings, proven, asks, excused, open, placeOf, losses };
}

/** The files of the named middlewares, as far as they are known. */
function guardsOf(rule: RuleData, { guards }: Facts, notes: Notes): readonly string[] {
  return rule.guards.flatMap((name) => {
    const found = guards.find(name);
    if (found.file !== undefined) return found.file;
    const { isShared, candidates, meant } = found;
    const list = candidates.join(', ') || 'none';
    const [problem, fix] = isShared
      ? [`"${name}" is the name of ${candidates.length} middlewares`, `Write one of these: ${list}.`]
      : [
          `there is no middleware "${name}"`,
          `${meant === undefined ? 'Put it back, or correct the name.' : `Did you mean "${meant}"?`} There ${candidates.length === 1 ? 'is' : 'are'}: ${list}.`,
        ];
    notes.findings.push(notes.ofPolicy(rule.guardsAt ?? rule.at, 'unknown', problem, fix));
    return [];
  });
}

function checkChain(
  rule: RuleData,
  target: Selected,
  guards: readonly string[],
  { display }: Facts,
  notes: Notes,
): void {
  const { chain, witness } = target;
  const lost = guards.filter((guard) => !chain.includes(guard));
  const answers = witness === undefined ? '' : `answers ${witness}, and `;
  const [first] = lost;
  if (first !== undefined) {
    const problem = `${answers}does not pass ${lost.map(display).join(', ')}`;
    const now = chain.join(' → ') || 'nothing';
    notes.lose(target, `passes no ${lost.map((guard) => namesOf(guard)[1] ?? guard).join(', ')}`);
    notes.of(target, 'missing', problem, `It passes ${now}. ${wayBack(first, target)}`);
  } else if (!isAscending(placesIn(chain, guards))) {
    const now = chain.filter((file) => guards.includes(file)).join(' → ');
    const problem = `${answers}passes ${now}, not ${guards.join(' → ')}`;
    notes.of(target, 'order', problem, 'Rename them, so that they run in the order of the rule.');
  } else if (guards.length > 0 && guards.length === rule.guards.length) notes.prove(target, 'chain');
}

/** What to do about a route that does not pass `guard`. */
function wayBack(guard: string, { file, kind, member, witness }: Selected): string {
  if (kind === METADATA) return METADATA_ADVICE;
  const isOfMcp = kind === 'mcp' || (member !== undefined && file.startsWith('mcp/'));
  if (isOfMcp && !/^(?:middlewares|mcp)\//.test(guard))
    return `Only middlewares/ and mcp/_middleware run around it: name one of these, or except it with a reason.`;
  if (file.startsWith('plugin "')) return `It is of ${file}: except it with a reason.`;
  if (witness !== undefined) return 'Have its path take less, or except it with a reason.';
  const directory = guard.slice(0, guard.lastIndexOf('/') + 1);
  return directory === '' || guard.startsWith('middlewares/') || file.startsWith(directory)
    ? `Have ${guard} run around it, or except it with a reason.`
    : `Move it below ${directory}, or except it with a reason.`;
}

function checkScopes(rule: RuleData, target: Target, notes: Notes): void {
  for (const scope of rule.scopes)
    if (!target.member?.scopes?.includes(scope)) {
      notes.lose(target, `needs no scope ${scope}`);
      const fix = `Add it to the tool: scopes: ['${scope}'].`;
      notes.of(target, 'missing', `does not need the scope "${scope}"`, fix);
    }
  if (rule.scopes.length > 0 && hasScopes(rule, target)) notes.prove(target, 'scopes');
}

/** Why anybody may call a route, where it says so of itself. What it passes and whom it admits holds all the same. */
function reasonOf(target: Target, notes: Notes): string | undefined {
  const why = target.meta.public;
  if (why === undefined) return undefined;
  const isSaid = typeof why === 'string' && why.trim() !== '';
  if (isSaid) notes.prove(target, `public: ${why.trim()}`);
  else
    notes.of(
      target,
      'stale',
      'has .meta({ public }) without a reason, so it is not public',
      "Say why: .meta({ public: 'the balancer asks it' }).",
    );
  return isSaid ? why.trim() : undefined;
}

interface Left {
  /** What no exception leaves out. */
  readonly selected: readonly Selected[];
  readonly excused: readonly Excused[];
}

/** Take away what the exceptions of a rule leave out, and find those that are for nothing. `guards`: the files of the named middlewares. */
function applyExceptions(
  rule: RuleData,
  all: readonly Selected[],
  guards: readonly string[],
  facts: Facts,
  notes: Notes,
): Left {
  const left = new Set(all);
  const excused: Excused[] = [];
  for (const exception of rule.exceptions) {
    const out = all.filter(facts.table.matching(rule, exception.pattern));
    for (const target of out) {
      left.delete(target);
      notes.prove(target, `except: ${exception.why}`);
    }
    // Of a rule that selects nothing that is said.
    if (all.length === 0) continue;
    if (out.length > 0)
      for (const [part, pattern] of alternativesOf(exception.pattern))
        if (!all.some(facts.table.matching(rule, pattern)))
          notes.findings.push(notes.ofPolicy(exception.at, 'stale', describePart(exception, part), TAKE_OUT));
    const isHeld = out.every(
      (target) => isAscending(placesIn(target.chain, guards)) && hasScopes(rule, target),
    );
    const isKnown = guards.length === rule.guards.length && isHeld;
    if (out.length > 0 && !isKnown) continue;
    const advice = (out.length === 0 ? whole(exception.pattern, all) : undefined) ?? 'Take it out.';
    const stale = notes.ofPolicy(exception.at, 'stale', describe(exception, rule, out), advice);
    if (out.length === 0 || rule.refused.length === 0) notes.findings.push(stale);
    else excused.push({ exception, stale, asks: out.flatMap((target) => refusalsOf(rule, target)) });
  }
  return { selected: [...left], excused };
}

/** What to write for a pattern that is the name of a file but for its method; undefined where there is none. */
function whole(pattern: string, all: readonly Selected[]): string | undefined {
  for (const { file, path } of all) {
    const [, name, method] = /^(.*)\.(\w+)\.\w+$/.exec(file) ?? [];
    if (method !== undefined && (name === pattern || name?.endsWith(`/${pattern}`)))
      return `Write "${pattern}.${method}", as the file is named, or its URL, "${path.slice(1)}".`;
  }
  return undefined;
}

const TAKE_OUT = 'Correct the pattern, or take that out of it.';

const describePart = ({ pattern, why }: Exception, part: string): string =>
  `"${part}" of the exception ${JSON.stringify(pattern)} (${why}) is for nothing: it matches nothing that the rule selects`;

function describe({ pattern, why }: Exception, rule: RuleData, out: readonly Selected[]): string {
  const said = `the exception ${JSON.stringify(pattern)} (${why}) is for nothing`;
  if (out.length === 0) return `${said}: it matches nothing that the rule selects`;
  const holds = [
    rule.guards.length > 0 ? `passes ${rule.guards.join(', ')}` : '',
    rule.scopes.length > 0 ? `needs ${rule.scopes.join(', ')}` : '',
    rule.refused.length > 0 ? `refuses ${rule.refused.map(({ name }) => name).join(', ')}` : '',
  ].filter((part) => part !== '');
  return `${said}: ${out.map(({ label }) => label).join(', ')} ${holds.join(' and ')} all the same`;
}

const NOUNS = {
  under: 'route',
  mutations: 'mutation',
  sockets: 'socket',
  tools: 'tool',
  everything: 'route',
} as const;

/** The finding about a rule that is about nothing, once what `excepted` counts is left out. */
function emptyRule(rule: RuleData, excepted: number, { table, unreachable }: Facts, notes: Notes): Finding {
  const { selector, pattern, at } = rule;
  if (excepted > 0)
    return notes.ofPolicy(at, 'empty', 'excepts all that it selects', 'Take the rule out, or an exception.');
  const problem = `no ${NOUNS[selector]} is selected by ${JSON.stringify(pattern)}`;
  const named =
    selector === 'tools'
      ? table.targets.find(({ member }) => member?.kind === 'tool' && member.name === pattern)
      : undefined;
  if (named) {
    const path = JSON.stringify(toolPath(named.file));
    return notes.ofPolicy(
      at,
      'empty',
      problem,
      `That is the name of a tool. Write its path below mcp/tools/: ${path}.`,
    );
  }
  const matches = matcherOf(pattern);
  const job = [...unreachable].find(([file]) => matches(bareOf(file)))?.[1];
  return notes.ofPolicy(
    at,
    'empty',
    problem,
    job === undefined
      ? 'Correct the pattern, or take the rule out.'
      : `No request reaches ${job}, and no middleware runs around it. Take the rule out.`,
  );
}

/** Findings about alternatives of braces that select nothing, while others do. */
function emptyParts(rule: RuleData, { table }: Facts, notes: Notes): readonly Finding[] {
  const { selector, pattern, at } = rule;
  const parts = [...alternativesOf(pattern)].filter(
    ([, one]) => table.select({ ...rule, pattern: one }).length === 0,
  );
  return parts.map(([part]) =>
    notes.ofPolicy(
      at,
      'empty',
      `no ${NOUNS[selector]} is selected by "${part}" of ${JSON.stringify(pattern)}`,
      'Correct the pattern, or take that out of it.',
    ),
  );
}

/** What is found out of one rule. */
class Notes {
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
const refusalsOf = (rule: RuleData, target: Selected): readonly Ask[] =>
  rule.refused.map((visitor) => ({ rule, target, visitor, refuses: true }));

const hasScopes = ({ scopes }: RuleData, { member }: Target): boolean =>
  scopes.every((scope) => member?.scopes?.includes(scope));

/** Where in a chain each of `guards` is; -1 for one that is not. */
const placesIn = (chain: readonly string[], guards: readonly string[]): readonly number[] =>
  guards.map((guard) => chain.indexOf(guard));

const isAscending = (places: readonly number[]): boolean =>
  places.every((place, index) => place >= Math.max(places[index - 1] ?? 0, 0));
