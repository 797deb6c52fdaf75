import { blocksOf } from './documents.js';
import { fwk } from './fwk.js';
import { linkLibraries, linkRecipes, linkRecipeTools } from './libraries.js';
import { type Files, type Project, project } from './project.js';
import { build, MAIN, TSCONFIG } from './settings.js';

/**
 * The project of a page in docs/recipes: its files, built as a user would. `more` has the files that the page leaves to
 * its reader.
 */
export async function recipe(name: string, more: Files = {}): Promise<Project> {
  const blocks = blocksOf(`docs/recipes/${name}.md`).filter(({ file }) => file !== undefined);
  const files = blocks.map(({ file = '', text }) => [file.replace(/^src\//, ''), text] as const);
  const made = project({
    'package.json': '{ "name": "shop", "private": true, "type": "module" }\n',
    'main.ts': MAIN,
    'tsconfig.json': TSCONFIG,
    ...Object.fromEntries(files),
    ...more,
  });
  linkLibraries(made, 'pg', '@types/pg', 'jose', 'bullmq', 'ioredis', '@redis/client');
  linkRecipes(made);
  const built = await fwk(made, 'build');
  if (built.status !== 0) throw new Error(built.stdout + built.stderr);
  return made;
}

/** The files of one section of `docs/recipes/libraries.md`, as a built project that imports `packages`. */
export async function section(
  heading: string,
  packages: readonly string[],
  more: Files = {},
): Promise<Project> {
  const shown = blocksOf('docs/recipes/libraries.md').flatMap(({ file, section, text }) =>
    file !== undefined && (section || 'TypeBox') === heading
      ? [[file.replace(/^src\//, ''), text] as const]
      : [],
  );
  const made = project({ 'main.ts': MAIN, 'tsconfig.json': TSCONFIG, ...Object.fromEntries(shown), ...more });
  linkRecipeTools(made, ...packages);
  linkLibraries(made, 'graphql', 'graphql-http', 'express', 'bullmq', 'ioredis');
  await build(made);
  return made;
}
