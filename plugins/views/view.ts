import { brand } from '../../contributions/index.js';
import { coded, type ProblemCode } from '../../kernel/index.js';
import type { ViewName, Views } from '../http/internal.js';

export const VIEWS = 'views';

const views = brand<View>('fwkit.view');

/** A template with its data, which a handler returns. */
export interface View {
  /** The path below views/, with or without its extension. */
  readonly name: string;
  readonly data: object;
  /** Only a type, for the client, which receives the page: the property does not exist at runtime. */
  readonly '~view'?: never;
}

/** A name with its extension, from an enum or built at runtime, if it may be a template's name. */
type OtherName<Name extends string> = Name extends ViewName
  ? never
  : `${Name}` extends ViewName | Views[keyof Views]
    ? Name
    : IsAnyText<Name> extends true
      ? Name
      : // Comparing with every template is slow, so only string patterns are compared. Any other string is not a template name.
        Record<never, never> extends Record<Name, true>
        ? [Extract<ViewName | Views[keyof Views], Name>] extends [never]
          ? never
          : Name
        : never;

/** A string type, possibly with a brand, which makes it an object type to the compiler. */
type IsAnyText<Name extends string> = string extends Name ? true : Name extends object ? true : false;

/**
 * Return it from a handler to render `views/<name>.eta` with `data`. Values are escaped. Throws TypeError for a name
 * that is not a path below views/.
 */
export function view<const Name extends string = never>(
  name: ViewName | OtherName<Name>,
  data: object = {},
): View {
  if (!isTemplateName(name))
    throw coded('FWK415', `view() takes the path of a template below views/, not ${JSON.stringify(name)}`);
  return Object.freeze(views.mark({ name, data }));
}

/** Whether a value is the result of `view()`. */
export const isView = views.has;

/** Whether a name is the normal form of a path below views/, without `.`, `..`, `\` and NUL. */
export const isTemplateName = (name: unknown): boolean =>
  typeof name === 'string' && !/(^|\/)\.{0,2}(\/|$)|[\\\0]/.test(name);

/** Options of an engine, besides the directory of the templates. */
export interface EngineOptions {
  /** The extension of templates, without its dot: `eta`. */
  readonly extension: string;
  /** Whether templates may be cached: false in development, where the next request shows a change. */
  readonly cache: boolean;
}

/**
 * Renders templates to HTML: `views: { engine, extension }` in the config. Called once, by the
 * first view that is rendered; `directory` is the absolute path of views/. The engine must escape
 * values.
 */
export type ViewEngine = (directory: string, options: EngineOptions) => RenderView | Promise<RenderView>;

/** Renders `name`, a path below the directory with its extension: `mail/letter.eta`. The file exists. */
export type RenderView = (name: string, data: object) => string | Promise<string>;

/** A template that is missing, does not parse or throws. Begins with its file, and line if known. */
export class ViewError extends Error {
  override readonly name = 'ViewError';
  readonly code: ProblemCode = 'FWK415';
}
