import type { Ask, Finding, FindingKind, Proof, Selected, Target } from './findings.js';
import type { Guards } from './guards.js';
import { alternativesOf } from './pattern.js';
import { describeRule, type Exception, type RuleData, requirementsOf } from './rule.js';
import { METADATA, METADATA_ADVICE, type Table } from './targets.js';

/** The application that a policy is checked against. None of it has to run. */
interface Facts {
  readonly table: Table;
  readonly guards: Guards;
  /** Keys of `ctx` that a route and everything before it read, by label; undefined if this isn't known. */
  readonly reads: Reads | undefined;
  readonly display: (file: string) => string;
  readonly placeOf: (at: Error) => Place;
}

export type Reads = ReadonlyMap<string, ReadonlySet<string>>;

export interface Checked {
  readonly rule: RuleData;
  readonly text: string;
  readonly selected: readonly Selected[];
  readonly findings: readonly Finding[];
  readonly proven: readonly Proof[];
  readonly asks: readonly Ask[];
  readonly excuses: readonly Excuse[];
  readonly placeOf: (target: Target) => Place;
}

type Place = Pick<Finding, 'file' | 'line'>;

/** An exception, or a public route. It has no effect if all answers are right without it. */
interface Excuse {
  readonly asks: readonly Ask[];
  readonly stale: Finding;
  /** The same for excuses that are one finding: a public route, whichever rules select it. */
  readonly key: unknown;
}

export function checkRule(rule: RuleData, facts: Facts): Checked {
  const notes = new Notes(rule, facts);
  const guards = guardsOf(rule, facts, notes);
  const all = facts.table.select(rule);
  const { selected, excuses } = applyExceptions(rule, all, guards, facts, notes);
  // A catch-all route answers URLs below any pattern, so such a route doesn't show that the pattern is right.
  if (selected.every(({ witness }) => witness !== undefined)) {
    const problem =
      selected.length < all.length
        ? 'excepts everything that it selects'
        : `no ${nounOf(rule)} is selected by ${JSON.stringify(rule.pattern)}`;
    notes.add(rule.at, 'empty', problem, 'Correct the pattern, or remove the rule.');
  } else noteEmptyParts(rule, facts, notes);
  const asks: Ask[] = [];
  for (const target of selected) {
    checkChain(rule, target, guards, facts, notes);
    checkScopes(rule, target, notes);
    const why = reasonOf(target, notes);
    if (why === undefined) {
      checkReads(rule, target, facts, notes);
      asks.push(...refusalsOf(rule, target));
    } else if (rule.refused.length > 0) {
      const names = rule.refused.map(({ name }) => name).join(', ');
      const problem = `has .meta({ public }) (${why}) without effect: it refuses ${names} anyway`;
      const stale = notes.finding(target, 'stale', problem, 'Remove it.');
      excuses.push({ asks: refusalsOf(rule, target), stale, key: target.route.id });
    }
    asks.push(...admissionsOf(rule, target));
  }
  const { text, findings, proven, placeOf } = notes;
  return { rule, text, selected, findings, proven, asks, excuses, placeOf };
}

function guardsOf(rule: RuleData, { guards }: Facts, notes: Notes): readonly string[] {
  return rule.guards.flatMap((name) => {
    const found = guards.find(name);
    if (found.file !== undefined) return found.file;
    const { isShared, names } = found;
    const list = names.join(', ') || 'none';
    const [problem, fix] = isShared
      ? [`"${name}" names ${names.length} middlewares`, `Write one of: ${list}.`]
      : [
          `there is no middleware "${name}"`,
          `Restore it, or correct the name. Known, the nearest first: ${list}.`,
        ];
    notes.add(rule.guardsAt ?? rule.at, 'unknown', problem, fix);
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
    const now = `It passes ${chain.join(' → ') || 'no middleware'}.`;
    const problem = `${answers}does not pass ${lost.map(display).join(', ')}`;
    notes.add(target, 'missing', problem, `${now} ${wayBack(first, target)}`);
  } else if (!passesAll(chain, guards)) {
    const now = chain.filter((file) => guards.includes(file)).join(' → ');
    const problem = `${answers}passes ${now}, not ${guards.join(' → ')}`;
    notes.add(target, 'order', problem, 'Rename the middlewares so that they run in the order of the rule.');
  } else if (guards.length > 0 && guards.length === rule.guards.length) notes.prove(target, 'chain');
}

function wayBack(guard: string, { file, kind, member, witness }: Selected): string {
  if (kind === METADATA) return METADATA_ADVICE;
  const directory = guard.slice(0, guard.lastIndexOf('/') + 1);
  const isOfMcp = kind === 'mcp' || (member !== undefined && file.startsWith('mcp/'));
  if (isOfMcp && !/^(?:middlewares|mcp)\//.test(guard))
    return 'Only middlewares/ and mcp/_middleware run before it: name one of these, or except it with a reason.';
  if (file.startsWith('plugin "')) return `It comes from ${file}: except it with a reason.`;
  if (witness !== undefined) return 'Narrow its path, or except it with a reason.';
  return directory === '' || guard.startsWith('middlewares/') || file.startsWith(directory)
    ? `Have ${guard} run before it, or except it with a reason.`
    : `Move it below ${directory}, or except it with a reason.`;
}

function checkScopes(rule: RuleData, target: Target, notes: Notes): void {
  for (const scope of rule.scopes)
    if (!target.member?.scopes?.includes(scope)) {
      const problem = `does not need the scope "${scope}"`;
      notes.add(target, 'missing', problem, `Add it to the tool: scopes: ['${scope}'].`);
    }
  if (rule.scopes.length > 0 && hasScopes(rule, target)) notes.prove(target, 'scopes');
}

function checkReads(rule: RuleData, target: Target, facts: Facts, notes: Notes): void {
  if (rule.keys.length === 0 || !facts.reads) return;
  const key = readKey(rule, target, facts);
  if (key !== undefined) return notes.prove(target, `reads ${key}`);
  const keys = rule.keys.map((one) => `ctx.${one}`).join(' or ');
  const fix = `Check ${keys} in a middleware or in the handler, or except the route with a reason.`;
  notes.add(target, 'missing', `does not read ${keys}, and neither does anything before it`, fix);
}

const readKey = ({ keys }: RuleData, { label }: Target, { reads }: Facts): string | undefined =>
  keys.find((key) => reads?.get(label)?.has(key));

/** Why anybody may call a route, by its own `.meta({ public })`. The other parts of rules must hold anyway. */
function reasonOf(target: Target, notes: Notes): string | undefined {
  const why = target.meta.public;
  if (why === undefined) return undefined;
  if (typeof why === 'string' && why.trim() !== '') {
    notes.prove(target, `public: ${why.trim()}`);
    return why.trim();
  }
  const problem = 'has .meta({ public }) without a reason, so it is not public';
  notes.add(target, 'stale', problem, "Give the reason: .meta({ public: 'the load balancer calls it' }).");
  return undefined;
}

interface Left {
  /** Without the exceptions. */
  readonly selected: readonly Selected[];
  readonly excuses: Excuse[];
}

/** Leave out the exceptions of a rule, and report exceptions without effect. `guards`: the files of the named middlewares. */
function applyExceptions(
  rule: RuleData,
  all: readonly Selected[],
  guards: readonly string[],
  facts: Facts,
  notes: Notes,
): Left {
  const left = new Set(all);
  const excuses: Excuse[] = [];
  for (const exception of rule.exceptions) {
    const { at, pattern } = exception;
    const out = all.filter(facts.table.matching(rule, pattern));
    for (const target of out) {
      left.delete(target);
      notes.prove(target, `except: ${exception.why}`);
    }
    // A rule that selects nothing is a finding already.
    if (all.length === 0) continue;
    if (out.length === 0) {
      const problem = `${describe(exception)} matches nothing that the rule selects`;
      notes.add(at, 'stale', problem, 'Remove it, or correct the pattern.');
      continue;
    }
    for (const [part, alternative] of alternativesOf(pattern))
      if (!all.some(facts.table.matching(rule, alternative))) {
        const problem = `"${part}" of ${describe(exception)} matches nothing that the rule selects`;
        notes.add(at, 'stale', problem, CORRECT_PART);
      }
    const isHeld = (target: Selected): boolean =>
      passesAll(target.chain, guards) &&
      hasScopes(rule, target) &&
      (rule.keys.length === 0 || readKey(rule, target, facts) !== undefined);
    if (guards.length < rule.guards.length || !out.every(isHeld)) continue;
    const problem = `${describe(exception)} has no effect: ${out.map(({ label }) => label).join(', ')} ${predicateOf(rule)} anyway`;
    const asks = out.flatMap((target) => [...refusalsOf(rule, target), ...admissionsOf(rule, target)]);
    const stale = notes.finding(at, 'stale', problem, 'Remove it.');
    if (asks.length === 0) notes.findings.push(stale);
    else excuses.push({ stale, asks, key: stale });
  }
  return { selected: [...left], excuses };
}

const CORRECT_PART = 'Correct the pattern, or remove this part of it.';

const describe = ({ pattern, why }: Exception): string => `the exception ${JSON.stringify(pattern)} (${why})`;

/** The predicate of a rule: `passes csrf and refuses anonymous`. */
const predicateOf = (rule: RuleData): string =>
  requirementsOf(rule)
    .map(([verb, names]) => `${verb} ${names.join(', ')}`)
    .join(' and ');

const nounOf = ({ selector }: RuleData): string =>
  selector === 'under' || selector === 'everything' ? 'route' : selector.slice(0, -1);

/** Report alternatives of braces that select nothing, while others do. */
function noteEmptyParts(rule: RuleData, { table }: Facts, notes: Notes): void {
  for (const [part, pattern] of alternativesOf(rule.pattern)) {
    if (table.select({ ...rule, pattern }).length > 0) continue;
    const problem = `no ${nounOf(rule)} is selected by "${part}" of ${JSON.stringify(rule.pattern)}`;
    notes.add(rule.at, 'empty', problem, CORRECT_PART);
  }
}

class Notes {
  readonly findings: Finding[] = [];
  readonly proven: Proof[] = [];
  readonly text: string;

  constructor(
    private readonly rule: RuleData,
    private readonly facts: Facts,
  ) {
    this.text = describeRule(rule);
  }

  readonly placeOf = (target: Target): Place => {
    // The endpoint of tools and the routes of plugins have no files.
    const hasFile = !target.file.endsWith('/') && !target.file.startsWith('plugin "');
    return hasFile ? { file: this.facts.display(target.file) } : this.facts.placeOf(this.rule.at);
  };

  /** Add a finding about a route, or about the part of the policy that was written at an error. */
  add(...about: Parameters<Notes['finding']>): void {
    this.findings.push(this.finding(...about));
  }

  finding(about: Target | Error, kind: FindingKind, problem: string, fix: string): Finding {
    const place =
      about instanceof Error ? this.facts.placeOf(about) : { route: about.label, ...this.placeOf(about) };
    return { rule: this.text, ...place, kind, problem, fix };
  }

  prove({ label }: Target, by: string): void {
    this.proven.push({ rule: this.text, route: label, by });
  }
}

const refusalsOf = (rule: RuleData, target: Selected): readonly Ask[] =>
  rule.refused.map((visitor) => ({ rule, target, visitor, refuses: true }));

const admissionsOf = (rule: RuleData, target: Selected): readonly Ask[] =>
  rule.admitted.map((visitor) => ({ rule, target, visitor, refuses: false }));

const hasScopes = ({ scopes }: RuleData, { member }: Target): boolean =>
  scopes.every((scope) => member?.scopes?.includes(scope));

const passesAll = (chain: readonly string[], guards: readonly string[]): boolean => {
  const places = guards.map((guard) => chain.indexOf(guard));
  return places.every((place, index) => place >= Math.max(places[index - 1] ?? 0, 0));
};
