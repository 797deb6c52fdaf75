import { conventionDirectories } from '../../app/builtins.js';
import { locate } from '../../app/locate.js';
import { openSources } from '../../cli/project.js';
import { type Impact, reachedOf } from '../../packages/prove/impact/compose.js';
import { findImpact, type Resolution } from '../../packages/prove/impact/find-impact.js';
import { QUIET } from '../../packages/prove/report/command-output.js';
import type { Project } from '../harness/project.js';

/** What every request of a project is answered with, by the file of the endpoint that answers it. */
export type Answers = ReadonlyMap<string, string>;

/** An edit of one file: its text before and after; undefined where there is none. */
export interface Edit {
  /** As `Project.write` has it. */
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Other files that are edited with it. */
  readonly also?: readonly Edit[];
}

/** What a trial of many edits showed. */
export interface Trial {
  /** Answers that changed outside of what was foretold: the edit, and the file. */
  readonly outside: readonly string[];
  /** Those that were told as sharing data with the change. */
  readonly throughData: readonly string[];
  /** Endpoints that were foretold, and that changed, over all edits that changed something. */
  readonly foretold: number;
  readonly changed: number;
}

/** The project as impact sees it, resolved once: edits of texts leave its routes as they are. */
export async function resolved(made: Project): Promise<Resolution> {
  const kernel = await openSources(locate(made.root, conventionDirectories), {
    purpose: 'build',
    logger: QUIET,
  });
  const { project, routes } = await kernel.resolve();
  return { project, routes, problems: [], dependencies: [] };
}

export function impactOf(resolution: Resolution, made: Project, edit: Edit): Promise<Impact> {
  const bytes = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text));
  const changes = filesOf(edit).map(({ name, before, after }) => ({
    file: made.label(name),
    before: bytes(before),
    after: bytes(after),
    isWhole: false,
  }));
  return findImpact(resolution, { base: undefined, since: undefined, changes, withData: true });
}

const filesOf = (edit: Edit): readonly Edit[] => [edit, ...(edit.also ?? [])];

function put(made: Project, edit: Edit, version: 'before' | 'after'): void {
  for (const one of filesOf(edit)) {
    const text = one[version];
    if (text === undefined) made.remove(one.name);
    else made.write(one.name, text);
  }
}

/** The project as impact sees it after an edit: with files that come or go, what it is made of is another. */
const resolvedAfter = async (made: Project, edit: Edit, before: Resolution): Promise<Resolution> =>
  filesOf(edit).some((one) => one.before === undefined || one.after === undefined) ? resolved(made) : before;

/** `answers`: undefined where the project does not boot. Make each edit, ask the project for its impact, run it, and compare all that it answers. */
export async function tryEdits(
  made: Project,
  edits: readonly Edit[],
  answers: () => Promise<Answers | undefined>,
): Promise<Trial> {
  const resolution = await resolved(made);
  const first = (await answers()) ?? new Map<string, string>();
  const outside: string[] = [];
  const throughData: string[] = [];
  const counts = { foretold: 0, changed: 0 };
  for (const edit of edits) {
    put(made, edit, 'after');
    const edited = await resolvedAfter(made, edit, resolution);
    try {
      const impact = await impactOf(edited, made, edit);
      const isData = ({ why = '' }: { readonly why?: string }) => why.startsWith('shares data');
      const all = reachedOf(impact);
      const reached = new Set(all.filter((one) => !isData(one)).map(({ file }) => file));
      const shared = new Set(all.filter(isData).map(({ file }) => file));
      const now = await answers();
      if (!now) continue;
      const changed = [...first].filter(([file, answer]) => now.get(file) !== answer).map(([file]) => file);
      for (const file of changed)
        if (!reached.has(file)) (shared.has(file) ? throughData : outside).push(`${edit.name}: ${file}`);
      if (changed.length > 0) {
        counts.changed += changed.length;
        counts.foretold += [...first.keys()].filter((file) => reached.has(file)).length;
      }
    } finally {
      if (edited !== resolution) await edited.project.close();
      put(made, edit, 'before');
    }
  }
  await resolution.project.close();
  return { outside, throughData, ...counts };
}
