import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Project } from './project.js';

/** Every file of a project with its text, by its path from the root. */
export function listing({ root }: Pick<Project, 'root'>): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((file) => path.relative(root, path.join(file.parentPath, file.name)));
  return Object.fromEntries(
    paths.sort().map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const),
  );
}
