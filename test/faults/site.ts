import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { repo } from '../harness/installed.js';
import { type Project, project } from '../harness/project.js';
import { build, TSCONFIG } from '../harness/settings.js';

/** What `public/numbers.txt` holds: more than a socket takes at once. */
export const numbers = Buffer.from(Array.from({ length: 40_000 }, (_, index) => `${index}\n`).join(''));

/** The project under test, built. */
export async function site(): Promise<Project> {
  const made = project({ 'tsconfig.json': TSCONFIG });
  cpSync(path.join(repo, 'test/faults/fixtures'), made.root, { recursive: true });
  made.write('public/numbers.txt', numbers.toString());
  mkdirSync(made.path('faults/disk'), { recursive: true });
  await build(made);
  return made;
}
