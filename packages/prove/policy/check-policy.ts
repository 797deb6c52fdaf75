import { middlewaresOf } from 'fwkit/http';
import { type BaseRoute, BootError, type Entry, explain, type Project } from 'fwkit/plugin';
import type { Ask, Finding, FindingKind, Proof, Selected, Target } from './findings.js';
import { bare, guardsNamed } from './guards.js';
import { describeRule, isPolicy, MISTAKE, type Policy, type RuleData, requirementsOf } from './rule.js';
import { alternativesOf, Table, targetsOf } from './targets.js';

/** The application that a policy is checked against. None of it has to run. */
interface Facts {
  readonly table: Table;
  readonly guards: readonly string[];
  /** Keys of `ctx` that a route and everything before it read, by label; undefined if this isn't known. */
  readonly reads: Reads | undefined;
  readonly display: (file: string) => string;
  readonly placeOf: (at: Error) => Place;
}

type Reads = ReadonlyMap<string, ReadonlySet<string>>;

export type Checked = Pick<
  RuleCheck,
  'text' | 'selected' | 'findings' | 'proven' | 'asks' | 'excuses' | 'placeOf'
>;
type Place = Pick<Finding, 'file' | 'line'>;

/** An exception, or a public route. It has no effect if all answers are right without it. */
interface Excuse {
  readonly asks: readonly Ask[];
  readonly stale: Finding;
  /** The same for excuses that are one finding: a public route, whichever rules select it. */
  readonly key: unknown;
}

const CORRECT = 'Correct the pattern, or remove this part of it.';

/** The check of a rule, and its results. */
class RuleCheck {
  readonly text: string;
  readonly selected: readonly Selected[];
  readonly findings: Finding[] = [];
  readonly proven: Proof[] = [];
  readonly asks: Ask[] = [];
  readonly excuses: Excuse[] = [];
  readonly #guards: readonly string[];

  constructor(
    private readonly rule: RuleData,
    private readonly facts: Facts,
  ) {
    this.text = describeRule(rule);
    this.#guards = rule.guards.flatMap((name) => this.#fileOf(name));
    const all = facts.table.select(rule);
    this.selected = this.#withoutExceptions(all);
    // A catch-all route answers URLs below any pattern, so such a route doesn't show that the pattern is right.
    if (this.selected.every(({ witness }) => witness !== undefined)) {
      const isExcepted = this.selected.length < all.length;
      const none = `no ${this.#noun} is selected by ${JSON.stringify(rule.pattern)}`;
      const problem = isExcepted ? 'excepts everything that it selects' : none;
      this.#add(rule.at, 'empty', problem, 'Correct the pattern, or remove the rule.');
    } else this.#checkAlternatives();
    for (const target of this.selected) this.#checkTarget(target);
  }

  readonly placeOf = (target: Target): Place => {
    // The endpoint of tools and the routes of plugins have no files.
    const hasFile = !target.file.endsWith('/') && !target.file.startsWith('plugin "');
    return hasFile ? { file: this.facts.display(target.file) } : this.facts.placeOf(this.rule.at);
  };

  get #noun(): string {
    const { selector } = this.rule;
    return selector === 'under' || selector === 'everything' ? 'route' : selector.slice(0, -1);
  }

  /** A finding about a route, or about the part of the policy that was written at an error. */
  #finding(about: Target | Error, kind: FindingKind, problem: string, fix: string): Finding {
    const place =
      about instanceof Error ? this.facts.placeOf(about) : { route: about.label, ...this.placeOf(about) };
    return { rule: this.text, ...place, kind, problem, fix };
  }

  #add(about: Target | Error, kind: FindingKind, problem: string, fix: string): void {
    this.findings.push(this.#finding(about, kind, problem, fix));
  }

  #prove({ label }: Target, by: string): void {
    this.proven.push({ rule: this.text, route: label, by });
  }

  #fileOf(name: string): readonly string[] {
    const { rule, facts } = this;
    const found = guardsNamed(facts.guards, name);
    if (found.length === 1) return found;
    const list = (names: readonly string[]): string => names.map(bare).join(', ') || 'none';
    const known = list(facts.guards);
    const [problem, fix] =
      found.length > 1
        ? [`"${name}" names ${found.length} middlewares`, `Write one of: ${list(found)}.`]
        : [`there is no middleware "${name}"`, `Restore it, or correct the name. Known: ${known}.`];
    this.#add(rule.at, 'unknown', problem, fix);
    return [];
  }

  /** Reports alternatives of braces that select nothing, while others do. */
  #checkAlternatives(): void {
    const { rule, facts } = this;
    for (const [part, pattern] of alternativesOf(rule.pattern)) {
      if (facts.table.select({ ...rule, pattern }).length > 0) continue;
      const problem = `no ${this.#noun} is selected by "${part}" of ${JSON.stringify(rule.pattern)}`;
      this.#add(rule.at, 'empty', problem, CORRECT);
    }
  }

  #checkTarget(target: Selected): void {
    const { scopes, refused } = this.rule;
    this.#checkChain(target);
    for (const scope of scopes)
      if (!target.member?.scopes?.includes(scope)) {
        const fix = `Add it to the tool: scopes: ['${scope}'].`;
        this.#add(target, 'missing', `does not need the scope "${scope}"`, fix);
      }
    if (scopes.length > 0 && this.#hasScopes(target)) this.#prove(target, 'scopes');
    const why = this.#reasonOf(target);
    const refusals = asksOf(this.rule, target, true);
    if (why === undefined) {
      this.#checkReads(target);
      this.asks.push(...refusals);
    } else if (refusals.length > 0) {
      const names = refused.map(({ name }) => name).join(', ');
      const problem = `has .meta({ public }) (${why}) without effect: it refuses ${names} anyway`;
      const stale = this.#finding(target, 'stale', problem, 'Remove it.');
      this.excuses.push({ asks: refusals, stale, key: target.route.id });
    }
    this.asks.push(...asksOf(this.rule, target, false));
  }

  #checkChain(target: Selected): void {
    const { chain, witness } = target;
    const [guards, { display }] = [this.#guards, this.facts];
    const lost = guards.filter((guard) => !chain.includes(guard));
    const answers = witness === undefined ? '' : `answers ${witness}, and `;
    const [first] = lost;
    if (first !== undefined) {
      const now = `It passes ${chain.join(' → ') || 'no middleware'}.`;
      const problem = `${answers}does not pass ${lost.map(display).join(', ')}`;
      this.#add(target, 'missing', problem, `${now} ${wayBack(first, target)}`);
    } else if (!passesAll(chain, guards)) {
      const now = chain.filter((file) => guards.includes(file)).join(' → ');
      const problem = `${answers}passes ${now}, not ${guards.join(' → ')}`;
      const fix = 'Rename the middlewares so that they run in the order of the rule.';
      this.#add(target, 'order', problem, fix);
    } else if (guards.length > 0 && guards.length === this.rule.guards.length) this.#prove(target, 'chain');
  }

  #checkReads(target: Target): void {
    if (this.rule.keys.length === 0 || !this.facts.reads) return;
    const key = this.#keyReadBy(target);
    if (key !== undefined) return this.#prove(target, `reads ${key}`);
    const keys = this.rule.keys.map((one) => `ctx.${one}`).join(' or ');
    const fix = `Check ${keys} in a middleware or in the handler, or except the route with a reason.`;
    this.#add(target, 'missing', `does not read ${keys}, and neither does anything before it`, fix);
  }

  #keyReadBy({ label }: Target): string | undefined {
    return this.rule.keys.find((key) => this.facts.reads?.get(label)?.has(key));
  }

  #hasScopes({ member }: Target): boolean {
    return this.rule.scopes.every((scope) => member?.scopes?.includes(scope));
  }

  /** Why anybody may call a route, by its own `.meta({ public })`. The other parts of rules must hold anyway. */
  #reasonOf(target: Target): string | undefined {
    const why = target.meta.public;
    if (why === undefined) return undefined;
    if (typeof why === 'string' && why.trim() !== '') {
      this.#prove(target, `public: ${why.trim()}`);
      return why.trim();
    }
    const problem = 'has .meta({ public }) without a reason, so it is not public';
    this.#add(target, 'stale', problem, "Give the reason: .meta({ public: 'the load balancer calls it' }).");
    return undefined;
  }

  /** Leaves out the exceptions of the rule, and reports exceptions without effect. */
  #withoutExceptions(all: readonly Selected[]): readonly Selected[] {
    const { rule, facts } = this;
    const left = new Set(all);
    // A rule that selects nothing is a finding already.
    for (const { at, pattern, why } of all.length === 0 ? [] : rule.exceptions) {
      const out = all.filter(facts.table.matching(rule, pattern));
      for (const target of out) {
        left.delete(target);
        this.#prove(target, `except: ${why}`);
      }
      const name = `the exception ${JSON.stringify(pattern)} (${why})`;
      if (out.length === 0) {
        const problem = `${name} matches nothing that the rule selects`;
        this.#add(at, 'stale', problem, 'Remove it, or correct the pattern.');
        continue;
      }
      for (const [part, alternative] of alternativesOf(pattern))
        if (!all.some(facts.table.matching(rule, alternative)))
          this.#add(at, 'stale', `"${part}" of ${name} matches nothing that the rule selects`, CORRECT);
      if (!out.every((target) => this.#isHeldBy(target))) continue;
      const requirements = requirementsOf(rule).map(([verb, names]) => `${verb} ${names.join(', ')}`);
      const labels = out.map(({ label }) => label).join(', ');
      const problem = `${name} has no effect: ${labels} ${requirements.join(' and ')} anyway`;
      const stale = this.#finding(at, 'stale', problem, 'Remove it.');
      const asks = out.flatMap((target) => [...asksOf(rule, target, true), ...asksOf(rule, target, false)]);
      if (asks.length === 0) this.findings.push(stale);
      else this.excuses.push({ stale, asks, key: stale });
    }
    return [...left];
  }

  /** Whether the parts of the rule hold for a target that need no requests. */
  #isHeldBy(target: Target): boolean {
    const { guards, keys } = this.rule;
    const isKnown = this.#guards.length === guards.length;
    const isRead = keys.length === 0 || this.#keyReadBy(target) !== undefined;
    return isKnown && passesAll(target.chain, this.#guards) && this.#hasScopes(target) && isRead;
  }
}

const asksOf = (rule: RuleData, target: Selected, refuses: boolean): readonly Ask[] =>
  (refuses ? rule.refused : rule.admitted).map((visitor) => ({ rule, target, visitor, refuses }));

function wayBack(guard: string, { file, kind, member, witness }: Selected): string {
  const directory = guard.slice(0, guard.lastIndexOf('/') + 1);
  const isOfMcp = kind === 'mcp' || (member !== undefined && file.startsWith('mcp/'));
  if (isOfMcp && !/^(?:middlewares|mcp)\//.test(guard))
    return 'Only middlewares/ and mcp/_middleware run before it: name one of these, or except it with a reason.';
  if (witness !== undefined) return 'Narrow its path, or except it with a reason.';
  const isInside = guard.startsWith('middlewares/') || file.startsWith(directory) || /^plugin "/.test(file);
  return `${isInside ? `Have ${guard} run before it` : `Move it below ${directory}`}, or except it with a reason.`;
}

const passesAll = (chain: readonly string[], guards: readonly string[]): boolean => {
  const places = guards.map((guard) => chain.indexOf(guard));
  return places.every((place, index) => place >= Math.max(places[index - 1] ?? 0, 0));
};

export type ReadPolicy = { readonly policy: Policy; readonly entry: Entry };

export const policyFiles = (project: Project): readonly Entry[] => project.files('policy');

/** Import the policy of a project with the project's own loader. Throws a BootError if the project has no policy, or the file exports something else. */
export async function readPolicy(project: Project): Promise<ReadPolicy> {
  const [entry, second] = policyFiles(project);
  if (!entry) {
    const file = project.display(`policy.${project.language}`);
    const message = `There is no policy. Write ${file}: export default policy([everything().passes('…')]), with these functions of '@fwkit/prove'.`;
    throw new BootError({ message, code: MISTAKE });
  }
  const refuse = (file: string, message: string): BootError =>
    new BootError({ file: project.display(file), message, code: MISTAKE });
  if (second)
    throw refuse(second.file, `is a second policy, beside ${project.display(entry.file)}. Delete one.`);
  const module = await project.load(entry);
  if (!module) throw new BootError(project.problems);
  if (!isPolicy(module.default))
    throw refuse(entry.file, 'does not export a policy. Export default policy([everything().passes(…)]).');
  return { policy: module.default, entry };
}

/** Where something was written: the innermost place in the project of an error that was made there, or `file`. */
const placeIn =
  (project: Project, file: string) =>
  (at: Error): Place => {
    const excerpt = explain(at, project.root).traces[0].excerpt;
    return excerpt ? { file: excerpt.file, line: excerpt.line } : { file: project.display(file) };
  };

/** Checks routes against a policy without requests. `project` knows where files are. */
export function checkPolicy(
  { policy, entry }: ReadPolicy,
  routes: readonly BaseRoute[],
  project: Project,
  reads?: Reads,
): readonly Checked[] {
  const targets = targetsOf(routes);
  const middlewares = middlewaresOf(project).map(({ file }) => file);
  // Plugins may have layers of their own in files.
  const guards = [...new Set([...middlewares, ...targets.flatMap(({ chain }) => chain)])];
  const display = (file: string): string => project.display(file);
  const facts = { table: new Table(targets), guards, reads, display, placeOf: placeIn(project, entry.file) };
  return policy.rules.map((rule) => new RuleCheck(rule, facts));
}
