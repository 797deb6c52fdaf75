import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { repo } from './installed.js';
import { recipeTools, tools } from './packages.js';
import type { Project } from './project.js';

/** The schema libraries that fwk is tested with. None is a dependency of it. */
const LIBRARIES = ['zod', 'valibot', '@valibot/to-json-schema', 'arktype'];

/** Lets a project import these libraries, and `more` packages of this repository. */
export function linkLibraries(project: Project, ...more: readonly string[]): void {
  for (const name of [...LIBRARIES, ...more]) link(project, name, repo);
}

/** Lets a project import the libraries of the recipes. */
export function linkRecipes(project: Project): void {
  for (const name of ['better-auth', '@better-auth/mcp', '@better-auth/cimd', 'kysely', 'vite'])
    link(project, name, tools());
}

/** Lets a project import packages of `test/tools/recipes`. */
export function linkRecipeTools(project: Project, ...names: readonly string[]): void {
  for (const name of names) link(project, name, recipeTools());
}

/** Lets a project import the core of TanStack Query. */
export const linkQuery = (project: Project): void => link(project, '@tanstack/query-core', tools());

function link(project: Project, name: string, folder: string): void {
  const at = path.join(project.root, 'node_modules', name);
  mkdirSync(path.dirname(at), { recursive: true });
  symlinkSync(path.join(folder, 'node_modules', name), at);
}

/** Adds a library to a project's package.json and lets the project import all libraries. */
export function depend(project: Project, library: string): void {
  linkLibraries(project);
  const manifest = JSON.parse(project.read('package.json')) as object;
  project.write('package.json', JSON.stringify({ ...manifest, dependencies: { [library]: '*' } }));
}
