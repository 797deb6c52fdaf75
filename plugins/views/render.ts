import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, type Project } from '../../kernel/index.js';
import { type RenderView, VIEWS, type View, type ViewEngine, ViewError } from './view.js';

/** Renders views with the project's engine or the built-in one. Rejects with a ViewError. */
export async function createRenderer(
  project: Project,
  engine: ViewEngine | undefined,
  extension: string,
): Promise<(view: View) => Promise<string>> {
  const directory = join(project.root, VIEWS);
  const cache = project.mode !== 'development';
  const make = engine ?? (await import('./eta.js')).etaEngine;
  const render: RenderView = await make(directory, { extension, cache });
  const found = new Set<string>();

  return async ({ name, data }) => {
    const file = name.endsWith(`.${extension}`) ? name : `${name}.${extension}`;
    if (!found.has(file)) {
      if (!existsSync(join(directory, file)))
        throw new ViewError(
          `views/${file} does not exist. Create it, or correct the name in view("${name}").`,
        );
      if (cache) found.add(file);
    }
    try {
      return await render(file, data);
    } catch (cause) {
      throw cause instanceof ViewError
        ? cause
        : new ViewError(`views/${file} throws: ${messageOf(cause)}`, { cause });
    }
  };
}
