import { setImmediate } from 'node:timers/promises';
import { type BaseRoute, messageOf, type Project } from 'fwkit/plugin';
import { checkedRules, policyFiles, readPolicy } from '../policy/check-policy.js';
import { targetsOf } from '../policy/targets.js';
import { counted } from '../report/outcome.js';

export interface Served {
  readonly project: Project;
  readonly routes: readonly BaseRoute[];
}

/** The routes of violations, by a line for each: `GET /api/admin/export does not pass src/api/admin/_middleware.ts`. */
type Violations = ReadonlyMap<string, string | undefined>;

/** How many violations are named. */
const MAX_NAMED = 3;

export class PolicyNews {
  #violations: Violations | undefined;
  /** Why the policy could not be read, if this has been printed. */
  #reported: string | undefined;
  #seen: { readonly policy: unknown; readonly table: string } | undefined;

  /** The lines to print about the version that is served now; none if nothing has changed. */
  async about({ project, routes }: Served): Promise<readonly string[]> {
    if (policyFiles(project).length === 0) {
      this.#violations = undefined;
      return [];
    }
    try {
      const read = await readPolicy(project);
      this.#reported = undefined;
      const seen = { policy: read.policy, table: tableOf(routes) };
      if (this.#seen?.policy === seen.policy && this.#seen.table === seen.table) return [];
      this.#seen = seen;
      const violations = new Map<string, string | undefined>();
      for (const { findings } of checkedRules(read, routes, project)) {
        for (const { route, file, problem } of findings) violations.set(`${route ?? file} ${problem}`, route);
        // Requests go first.
        await setImmediate();
      }
      const labels = new Set(targetsOf(routes).map(({ label }) => label));
      return this.#compare(violations, labels);
    } catch (thrown) {
      const why = messageOf(thrown);
      if (why === this.#reported) return [];
      this.#reported = why;
      this.#seen = undefined;
      return [`The policy is not checked: ${why}.`];
    }
  }

  #compare(now: Violations, labels: ReadonlySet<string>): readonly string[] {
    const before = this.#violations;
    this.#violations = now;
    if (!before)
      return now.size > 0 ? [`The policy is violated: ${named([...now.keys()])}. See fwk prove.`] : [];
    const added = [...now.keys()].filter((line) => !before.has(line));
    const fixed = [...before].flatMap(([line, route]) =>
      now.has(line) || (route !== undefined && !labels.has(route)) ? [] : line,
    );
    return Object.entries({ 'new violation': added, 'fixed violation': fixed }).flatMap(([noun, lines]) =>
      lines.length === 0 ? [] : `${counted(lines.length, noun)} of the policy: ${named(lines)}`,
    );
  }
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
