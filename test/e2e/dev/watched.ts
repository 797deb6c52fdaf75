import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Site } from '../../harness/served.js';
import { route } from '../../harness/source.js';
import { told } from '../../harness/told.js';

export const says = (text: string): string => route('get', `() => '${text}'`);

/** What tests of watching need of a site. */
export function watched(site: Site) {
  const { project } = site;
  const name = (file: string) => path.basename(project.path(file));
  return {
    ...told(site),
    project,
    /** The directory of the routes. */
    api: path.dirname(project.path('api/first.ts')),
    /** The name of a file in this layout. */
    name,
    /** Makes a directory with a route outside of the source directory. */
    elsewhere(directory: string, text: string): string {
      const made = path.join(project.root, `.${directory}`);
      mkdirSync(path.join(made, 'inner'), { recursive: true });
      writeFileSync(path.join(made, 'inner', name('api/here.ts')), says(text));
      return made;
    },
  };
}
