import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExportCheck } from '../../contributions/index.js';
import { definePlugin, type Generation, type Plugin, type Project } from '../../kernel/index.js';
import { declarationFile, sourcesOf } from './declaration-file.js';

/** The generated types of a project. */
export const TYPES = '.fwk/types.d.ts';

/** The project that the compiler checks for `fwk types --check`. */
export const CHECKED_PROJECT = '.fwk/.check.json';

/** Writes `.fwk/types.d.ts`: the types that the conventions declare for the project's files. */
export function typegen(): Plugin {
  return definePlugin({
    name: 'typegen',
    apply(hooks) {
      hooks.generate.tapPromise('typegen', async ({ target, flags, project, plugins, emit, warn }) => {
        if (target !== 'types') return;
        const parts = [...plugins.values()]
          .map(({ types }) => types?.(project, plugins))
          .filter((part) => part !== undefined);
        const contents = declarationFile(parts, sourcesOf(project));
        emit({ path: TYPES, contents, ifExists: 'replace' });
        if (flags.check === true)
          await emitExports(
            project,
            parts.flatMap(({ exports }) => exports?.() ?? []),
            emit,
          );
        emit({ path: '.gitignore', contents: '.fwk/', ifExists: 'lines' });
        // TypeScript's `include` matches a directory whose name begins with a dot only by its name.
        if (!(tsconfig(project.root) ?? '.fwk/').includes('.fwk/'))
          warn(
            'tsconfig.json does not include the generated types. Add ".fwk/**/*" to its "include".',
            'FWK615',
          );
      });
    },
  });
}

/** Emit the module that makes the compiler check default exports, and then the tsconfig that includes it. */
async function emitExports(
  project: Project,
  checks: readonly ExportCheck[],
  emit: Generation['emit'],
): Promise<void> {
  const { checkedProject, EXPORTS, exportsModule } = await import('./checked-project.js');
  const contents = exportsModule(project, checks);
  const settings = contents === undefined ? undefined : checkedProject(project.root);
  if (contents === undefined || settings === undefined) return;
  emit({ path: EXPORTS, contents, ifExists: 'replace' });
  emit({ path: CHECKED_PROJECT, contents: settings, ifExists: 'replace' });
}

function tsconfig(root: string): string | undefined {
  try {
    return readFileSync(join(root, 'tsconfig.json'), 'utf8');
  } catch {
    return undefined;
  }
}
