import { type Project, slotKey } from '../../../kernel/index.js';
import type { HttpRequest } from '../request/request.js';
import type { HttpResponse } from './response.js';

const PAGE_VALUES = slotKey<Map<string, PageValue>>('http.page-values');

/** Makes what a page gets beside its own data. Called when a template reads it, for each request. */
export type PageValue = (req: HttpRequest, res: HttpResponse) => unknown;

export const pageValuesOf = (project: Project): Map<string, PageValue> =>
  project.slot(PAGE_VALUES, () => new Map());

/**
 * Have templates of views read `name` beside their own data, which wins: `it.csrfField`. Call this in a tap of `resolve` of
 * a stage before `Stage.respond`. With `isText` it is made when it is printed: what hands all values on, as a layout of Eta does with
 * `{ ...it }`, reads each of them.
 */
export function addPageValue(
  project: Project,
  name: string,
  value: PageValue,
  { isText = false }: { readonly isText?: boolean } = {},
): void {
  const printed: PageValue = (req, res) => new PrintedText(() => String(value(req, res)));
  pageValuesOf(project).set(name, isText ? printed : value);
}

/** A text that is made when it is needed, with the methods by which template engines ask for it. */
class PrintedText {
  readonly toString: () => string;
  readonly toJSON: () => string;

  constructor(make: () => string) {
    this.toString = make;
    this.toJSON = make;
  }
}
