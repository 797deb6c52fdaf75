import { type Project, slotKey } from '../../../kernel/index.js';
import type { HttpRequest } from '../request/request.js';
import type { HttpResponse } from './response.js';

const PAGE_VALUES = slotKey<Map<string, PageValue>>('http.page-values');

/** Creates a value for templates in addition to the page's own data. Called for each request when a template reads the value. */
export type PageValue = (req: HttpRequest, res: HttpResponse) => unknown;

export const pageValuesOf = (project: Project): Map<string, PageValue> =>
  project.slot(PAGE_VALUES, () => new Map());

/**
 * Provide `name` to view templates in addition to the page's own data, which takes precedence: `it.csrfField`. Call this in a
 * tap of `resolve` of a stage before `Stage.respond`. With `isText`, the value is only created when it is printed, because a
 * template that passes all values on, such as an Eta layout with `{ ...it }`, reads each of them.
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

export interface ViewRenderer {
  /** The extension of templates. */
  readonly extension: string;
  /** Render a template outside of responses: the values of plugins are empty. Rejects with a ViewError. */
  render(name: string, data: object): Promise<string>;
}

const RENDERER = slotKey<{ renderer?: ViewRenderer }>('http.view-renderer');
const slotOf = (project: Project) => project.slot<{ renderer?: ViewRenderer }>(RENDERER, () => ({}));

export const viewRendererOf = (project: Project): ViewRenderer | undefined => slotOf(project).renderer;

/** Provide the renderer of a project's templates. */
export function offerRenderer(project: Project, renderer: ViewRenderer): void {
  slotOf(project).renderer = renderer;
}

/** A text that is created on demand, by the methods with which template engines print a value. */
class PrintedText {
  readonly toString: () => string;
  readonly toJSON: () => string;

  constructor(make: () => string) {
    this.toString = make;
    this.toJSON = make;
  }
}
