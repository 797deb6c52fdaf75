import { setImmediate } from 'node:timers/promises';
import { type BaseRoute, messageOf, type Project } from 'fwkit/plugin';
import type { Checked } from '../policy/check.js';
import { checkedRules, policyFiles, readPolicy } from '../policy/check-policy.js';
import { targetsOf } from '../policy/targets.js';

/** A version of the project that is served. */
export interface Served {
  readonly project: Project;
  readonly routes: readonly BaseRoute[];
}

/** What does not hold, in a line each, with the label of the route that it is about. */
type Lost = ReadonlyMap<string, string | undefined>;

/** How many of what is lost, or holds again, are named. */
const MAX_NAMED = 3;

/** Tells a developer which guards a save has lost, and which hold again. */
export class PolicyNews {
  /** What did not hold when it was last looked, in a line each; undefined before the first time. */
  #lost: Lost | undefined;
  /** Why the policy could not be read, if it has been told. */
  #told: string | undefined;
  /** The policy and the table that were last looked at. */
  #seen: { readonly policy: unknown; readonly table: string } | undefined;

  /**
   * The lines to print about the version that serves now: none where the policy holds as it did before. `changed`: how many routes the
   * save has added, changed and removed.
   */
  async about({ project, routes }: Served, changed: number): Promise<readonly string[]> {
    if (policyFiles(project).length === 0) {
      this.#lost = undefined;
      return [];
    }
    try {
      const read = await readPolicy(project);
      this.#told = undefined;
      const seen = { policy: read.policy, table: tableOf(routes) };
      if (this.#seen?.policy === seen.policy && this.#seen.table === seen.table) return [];
      this.#seen = seen;
      const checked: Checked[] = [];
      for (const rule of checkedRules(read, routes, project)) {
        checked.push(rule);
        // Requests go first.
        await setImmediate();
      }
      const labels = new Set(targetsOf(routes).map(({ label }) => label));
      return this.#compare(linesOf(checked), labels, changed);
    } catch (thrown) {
      const why = messageOf(thrown);
      if (why === this.#told) return [];
      this.#told = why;
      this.#seen = undefined;
      return [`The policy is not looked at: ${why}.`];
    }
  }

  /** `labels`: of all routes that there are now. */
  #compare(now: Lost, labels: ReadonlySet<string>, changed: number): readonly string[] {
    const before = this.#lost;
    this.#lost = now;
    if (!before)
      return now.size > 0 ? [`The policy does not hold: ${named(new Set(now.keys()))}. See fwk prove.`] : [];
    const lost = new Set([...now.keys()].filter((line) => !before.has(line)));
    const past = [...before].filter(([line]) => !now.has(line));
    const isGone = (route: string | undefined): route is string => route !== undefined && !labels.has(route);
    const again = new Set(past.flatMap(([line, route]) => (isGone(route) ? [] : line)));
    const gone = new Set(past.flatMap(([, route]) => (isGone(route) ? route : [])));
    const parts = [
      ...(lost.size > 0 ? [`${counted(lost.size, 'guard')} lost: ${named(lost)}`] : []),
      ...(again.size > 0
        ? [
            `${counted(again.size, 'guard')} ${again.size === 1 ? 'holds' : 'hold'} again: ${named(again, true)}`,
          ]
        : []),
      ...(gone.size > 0 ? [`gone: ${named(gone)}`] : []),
    ];
    if (parts.length === 0) return [];
    return [[...(changed > 0 ? [counted(changed, 'route')] : []), ...parts].join(', ')];
  }
}

/** What does not hold, in a line each: `GET /api/admin/export passes no api/admin`. */
function linesOf(checked: readonly Checked[]): Lost {
  return new Map(
    checked.flatMap(({ findings, losses }): [string, string | undefined][] => [
      ...losses.map(({ route, says }): [string, string] => [`${route} ${says}`, route]),
      ...findings
        .filter(({ kind }) => kind !== 'missing')
        .map(({ route, file, problem }): [string, string | undefined] => [
          `${route ?? file} ${problem}`,
          route,
        ]),
    ]),
  );
}

/** Text that differs where a policy may find something else. */
const tableOf = (routes: readonly BaseRoute[]): string =>
  targetsOf(routes)
    .map(({ label, file, chain, meta, member }) =>
      [label, file, ...chain, meta.public, ...(member?.scopes ?? [])].join(),
    )
    .join('\n');

function named(lines: ReadonlySet<string>, isHeld = false): string {
  const all = [...lines].map((line) => (isHeld ? line.replace(/ (passes|needs) no /, ' $1 ') : line));
  const rest = all.length - MAX_NAMED;
  return rest > 0 ? `${all.slice(0, MAX_NAMED).join('; ')} and ${rest} more` : all.join('; ');
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
