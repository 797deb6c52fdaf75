import { messageOf, type Serving } from 'fwkit/plugin';
import { checkPolicy, policyFiles, readPolicy } from '../policy/check-policy.js';
import { counted, named } from '../report/outcome.js';

export type Served = Pick<Serving, 'project' | 'routes'>;

export class PolicyNews {
  /** A line for each violation: `GET /api/admin/export does not pass src/api/admin/_middleware.ts`. */
  #violations: ReadonlySet<string> | undefined;
  /** Why the policy could not be checked, if this has been printed. */
  #reported: string | undefined;

  /** The lines to print about the version that is served now; none if nothing has changed. */
  async about({ project, routes }: Served): Promise<readonly string[]> {
    try {
      if (policyFiles(project).length === 0) {
        this.#violations = undefined;
        return [];
      }
      const checked = checkPolicy(await readPolicy(project), routes, project);
      const found = checked.flatMap(({ findings }) => findings);
      const now = new Set(found.map(({ route, file, problem }) => `${route ?? file} ${problem}`));
      const before = this.#violations;
      this.#violations = now;
      this.#reported = undefined;
      if (!before) return now.size > 0 ? [`The policy is violated: ${named([...now])}. See fwk prove.`] : [];
      const added = [...now].filter((line) => !before.has(line));
      const fixed = [...before].filter((line) => !now.has(line));
      return Object.entries({ 'new violation': added, 'fixed violation': fixed }).flatMap(([noun, lines]) =>
        lines.length === 0 ? [] : `${counted(lines.length, noun)} of the policy: ${named(lines)}`,
      );
    } catch (thrown) {
      const why = messageOf(thrown);
      if (why === this.#reported) return [];
      this.#reported = why;
      return [`The policy is not checked: ${why}.`];
    }
  }
}
