import type { Project } from '../../../kernel/index.js';
import type { HttpRequest } from '../request/request.js';
import type { HttpResponse } from './response.js';

/** Makes what a page gets beside its own data. Called when a template reads it, for each request. */
export type PageValue = (req: HttpRequest, res: HttpResponse) => unknown;

/** What plugins give to pages, by name. */
export const pageValuesOf = (project: Project): Map<string, PageValue> =>
  project.slot('http.page-values', () => new Map());

/**
 * Have templates of views read `name` beside their own data, which wins: `it.csrfField`. Call this in a tap of `resolve` of
 * a stage before `Stage.respond`.
 */
export function addPageValue(project: Project, name: string, value: PageValue): void {
  pageValuesOf(project).set(name, value);
}
