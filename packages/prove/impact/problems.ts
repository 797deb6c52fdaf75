import type { Graph } from '../graph/index.js';
import type { SourceChange } from './versions.js';

/** What keeps the project from booting, but for what is said of a changed file already. */
export function problemsIn(
  problems: readonly string[],
  after: Graph,
  changes: readonly SourceChange[],
): string[] {
  const told: string[] = [];
  let others = problems;
  for (const { file, source } of changes) {
    const error = after.modules.get(source)?.error;
    if (!error) continue;
    told.push(`${file}:${error.line} does not parse: ${error.message}. What used it before is reached.`);
    others = others.filter((problem) => !problem.startsWith(`${file} `));
  }
  return [...told, ...others];
}
