import type { Project } from '../../../kernel/index.js';

/** Whether a file says who may ask: `mcp/auth.ts`. */
export const isAuthFile = (file: string): boolean => /^mcp\/auth\.m?[jt]s$/.test(file);

/** That file of a project; undefined where anybody may ask. */
export const authOf = (project: Pick<Project, 'files'>): string | undefined =>
  project.files('mcp').find(({ file }) => isAuthFile(file))?.file;
