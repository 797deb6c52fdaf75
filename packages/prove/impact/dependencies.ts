import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The names in `dependencies` of the package.json of a project. */
export function dependenciesOf(root: string): string[] {
  try {
    const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    return Object.keys(dependencies ?? {});
  } catch {
    return [];
  }
}
