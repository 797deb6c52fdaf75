import { cpSync } from 'node:fs';
import path from 'node:path';
import { repo } from '../harness/installed.js';
import { type Project, project } from '../harness/project.js';
import { build, TSCONFIG } from '../harness/settings.js';

/** The project that is fuzzed, built. */
export async function site(): Promise<Project> {
  const made = project({ 'tsconfig.json': TSCONFIG });
  cpSync(path.join(repo, 'test/fuzz/fixtures'), made.root, { recursive: true });
  made.write('public/notes.txt', 'a line that is worth keeping\n'.repeat(100));
  // More than a socket takes at once.
  made.write('public/numbers.txt', Array.from({ length: 40_000 }, (_, index) => `${index}\n`).join(''));
  await build(made);
  return made;
}
