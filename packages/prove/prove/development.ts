import { setImmediate } from 'node:timers/promises';
import { type BaseRoute, messageOf, type Project } from 'fwkit/plugin';
import type { Checked } from '../policy/check.js';
import { checkedRules, policyFiles, readPolicy } from '../policy/check-policy.js';
import { targetsOf } from '../policy/targets.js';
import { counted } from '../report/outcome.js';

export interface Served {
  readonly project: Project;
  readonly routes: readonly BaseRoute[];
}

type Lost = ReadonlyMap<string, string | undefined>;

/** How many violations are named. */
const MAX_NAMED = 3;

export class PolicyNews {
  #lost: Lost | undefined;
  /** Why the policy could not be read, if this has been printed. */
  #reported: string | undefined;
  #seen: { readonly policy: unknown; readonly table: string } | undefined;

  /** The lines to print about the version that is served now; none if nothing has changed. */
  async about({ project, routes }: Served): Promise<readonly string[]> {
    if (policyFiles(project).length === 0) {
      this.#lost = undefined;
      return [];
    }
    try {
      const read = await readPolicy(project);
      this.#reported = undefined;
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
      return this.#compare(linesOf(checked), labels);
    } catch (thrown) {
      const why = messageOf(thrown);
      if (why === this.#reported) return [];
      this.#reported = why;
      this.#seen = undefined;
      return [`The policy is not checked: ${why}.`];
    }
  }

  #compare(now: Lost, labels: ReadonlySet<string>): readonly string[] {
    const before = this.#lost;
    this.#lost = now;
    if (!before)
      return now.size > 0 ? [`The policy is violated: ${named([...now.keys()])}. See fwk prove.`] : [];
    const lost = [...now.keys()].filter((line) => !before.has(line));
    const isThere = (route: string | undefined): boolean => route === undefined || labels.has(route);
    const restored = [...before].flatMap(([line, route]) =>
      now.has(line) || !isThere(route) ? [] : line.replace(/ (passes|needs) no /, ' $1 '),
    );
    return Object.entries({ lost, restored }).flatMap(([what, lines]) =>
      lines.length === 0 ? [] : `${counted(lines.length, 'guard')} ${what}: ${named(lines)}`,
    );
  }
}

/** Violations in a line each: `GET /api/admin/export passes no api/admin`. */
function linesOf(checked: readonly Checked[]): Lost {
  const lines = checked.flatMap(({ findings, losses }): [string, string | undefined][] => [
    ...losses.map(({ route, says }): [string, string] => [`${route} ${says}`, route]),
    ...findings
      .filter(({ kind }) => kind !== 'missing')
      .map(({ route, file, problem }) => [`${route ?? file} ${problem}`, route] as [string, typeof route]),
  ]);
  return new Map(lines);
}

/** A text that differs if a policy may find something else. */
const tableOf = (routes: readonly BaseRoute[]): string =>
  targetsOf(routes)
    .map(({ label, file, chain, meta, member }) =>
      [label, file, ...chain, meta.public, ...(member?.scopes ?? [])].join(),
    )
    .join('\n');

function named(lines: readonly string[]): string {
  const rest = lines.length - MAX_NAMED;
  return rest > 0 ? `${lines.slice(0, MAX_NAMED).join('; ')} and ${rest} more` : lines.join('; ');
}
