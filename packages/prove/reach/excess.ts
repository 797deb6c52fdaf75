import { fileOf, type Graph, isAny, MADE, type UnitId } from '../graph/index.js';
import { capabilitiesOf } from './capabilities.js';
import type { Reachable } from './reachable.js';

/** Something that a route reaches and may not. */
export interface Excess {
  /** As `.meta({ may })` names it; `*` where it cannot be known. */
  readonly name: string;
  /** How it is reached: `['route', 'lib/page.ts', 'ctx.mail', 'nodemailer']`. */
  readonly path: readonly string[];
  /** Where what is reached cannot be followed: file relative to the source directory, line, and why. */
  readonly blind?: { readonly file: string; readonly line: number; readonly why: string };
}

/** One step of the way to a unit. */
interface Step {
  readonly id: UnitId;
  /** Whether it is code of a value of `ctx` that the route may use: what that does by itself is its own. */
  readonly isCovered: boolean;
  /** What it is called on the way; undefined where the step before says it. */
  readonly shown?: string | undefined;
  readonly before?: Step | undefined;
}

/** What a route reaches beyond `may`, each once, by the shortest way. */
export function excessOf(
  graph: Graph,
  { file, before }: Reachable,
  may: ReadonlySet<string>,
): readonly Excess[] {
  const found = new Map<string, Excess>();
  const note = (name: string, excess: Excess): void => {
    if (!found.has(name)) found.set(name, excess);
  };
  const seen = new Set<string>();
  const todo: Step[] = [];
  const push = (step: Step): void => {
    const key = `${step.id} ${step.isCovered}`;
    if (seen.has(key)) return;
    seen.add(key);
    todo.push(step);
  };
  for (const id of graph.rootsOf(file)) push({ id, isCovered: false, shown: 'route' });
  for (const one of before) for (const id of graph.rootsOf(one)) push({ id, isCovered: false, shown: one });

  for (let at = 0; at < todo.length; at++) {
    const step = todo[at] as Step;
    const { id, isCovered } = step;
    const leaves = graph.leavesOf([id]);
    for (const blind of leaves.blind)
      note(`* ${blind.file} ${blind.line} ${blind.why}`, { name: '*', path: pathOf(step), blind });
    if (!isCovered)
      for (const { name, shown } of capabilitiesOf(leaves))
        if (!may.has(name) && !(name.startsWith('env:') && may.has('env:*')))
          note(name, { name, path: [...pathOf(step), shown] });
    for (const next of graph.mentions(id)) if (!isAny(next)) push(stepTo(next, step));
    for (const { key, member } of graph.reads(id)) {
      if (key === '*' || key === 'logger' || !graph.providers.has(key)) continue;
      const units = graph.behind(key, member);
      if (may.has(key) || member === MADE)
        for (const next of units) push({ id: next, isCovered: true, shown: `ctx.${key}`, before: step });
      else note(key, { name: key, path: [...pathOf(step), `ctx.${key}`, ...beyond(graph, units)] });
    }
  }
  return [...found.values()];
}

/** A file is named where the way enters it, but that of a value of `ctx`, which has been named by its key. */
function stepTo(id: UnitId, before: Step): Step {
  const file = fileOf(id);
  const isNamed = file === fileOf(before.id);
  return { id, isCovered: before.isCovered, shown: isNamed ? undefined : file, before };
}

function pathOf(step: Step): string[] {
  const path: string[] = [];
  for (let at: Step | undefined = step; at; at = at.before)
    if (at.shown !== undefined) path.unshift(at.shown);
  return path;
}

/** The shortest way from the units of a value of `ctx` to something outside of the project, to say what it stands for. */
function beyond(graph: Graph, units: readonly UnitId[]): readonly string[] {
  const steps: Step[] = units.map((id) => ({ id, isCovered: true }));
  const seen = new Set(units);
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at] as Step;
    const [first] = capabilitiesOf(graph.leavesOf([step.id]));
    if (first) return [...pathOf(step), first.shown];
    for (const next of graph.mentions(step.id))
      if (!seen.has(next) && !isAny(next)) {
        seen.add(next);
        steps.push(stepTo(next, step));
      }
    for (const { key, member } of graph.reads(step.id))
      for (const next of graph.behind(key, member))
        if (!seen.has(next)) {
          seen.add(next);
          steps.push({ id: next, isCovered: true, shown: `ctx.${key}`, before: step });
        }
  }
  return [];
}
