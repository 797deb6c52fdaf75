import { namesOf } from '../policy/guard-names.js';
import type { RuleData } from '../policy/rule.js';
import { emptyParts, emptyRule } from './empty.js';
import { applyExceptions } from './exceptions.js';
import {
  type Checked,
  type Facts,
  hasScopes,
  isAscending,
  Notes,
  type Open,
  placesIn,
  refusalsOf,
} from './facts.js';
import type { Ask, Selected, Target } from './findings.js';
import { METADATA, METADATA_ADVICE } from './metadata.js';

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
