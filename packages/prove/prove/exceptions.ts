import type { Exception, RuleData } from '../policy/rule.js';
import {
  type Excused,
  type Facts,
  hasScopes,
  isAscending,
  type Notes,
  placesIn,
  refusalsOf,
} from './facts.js';
import type { Selected } from './findings.js';
import { alternativesOf } from './pattern.js';

interface Left {
  /** What no exception leaves out. */
  readonly selected: readonly Selected[];
  readonly excused: readonly Excused[];
}

/** Take away what the exceptions of a rule leave out, and find those that are for nothing. `guards`: the files of the named middlewares. */
export function applyExceptions(
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
