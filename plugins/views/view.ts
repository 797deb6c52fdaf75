import { brand } from '../../contributions/index.js';
import { coded, type ProblemCode } from '../../kernel/index.js';

export const VIEWS = 'views';

const views = brand<View>('fwkit.view');

/** A template with its data, to be returned from a handler. */
export interface View {
  /** Path below views/, with or without its extension. */
  readonly name: string;
  readonly data: object;
  /** Types only, for the client, which gets the page: there is no such property. */
  readonly '~view'?: never;
}

/** The templates of the project, added by the generated types: `"mail/letter": "mail/letter.eta"`. */
// biome-ignore lint/suspicious/noEmptyInterface: the generated types fill it
export interface Views {}

/** The name of a template, without its extension; any text where the generated types know of none. */
export type ViewName = [keyof Views] extends [never] ? string : keyof Views & string;

/** A name with its extension or in an enum, and one that is put together while it runs, as long as it may become that of a template. */
type OtherName<Name extends string> = Name extends ViewName
  ? never
  : `${Name}` extends ViewName | Views[keyof Views]
    ? Name
    : IsAnyText<Name> extends true
      ? Name
      : // Each template is looked at for a pattern alone, since that takes its time: any other text is no name.
        Record<never, never> extends Record<Name, true>
        ? [Extract<ViewName | Views[keyof Views], Name>] extends [never]
          ? never
          : Name
        : never;

/** A string, perhaps with a brand, which is an object to the compiler. */
type IsAnyText<Name extends string> = string extends Name ? true : Name extends object ? true : false;

/**
 * Return it from a handler to render `views/<name>.eta` with `data`. Values are escaped. Throws TypeError for a name
 * that is not a path below views/.
 */
export function view<const Name extends string = never>(
  name: ViewName | OtherName<Name>,
  data: object = {},
): View {
  if (!isInside(name))
    throw coded('FWK415', `view() takes the path of a template below views/, not ${JSON.stringify(name)}`);
  return Object.freeze(views.mark({ name, data }));
}

export const isView = views.has;

/** Whether it is the one spelling of a template, and no way out: no empty segment, `.` or `..`, no backslash, no NUL. */
export const isInside = (name: unknown): boolean =>
  typeof name === 'string' && !/(^|\/)\.{0,2}(\/|$)|[\\\0]/.test(name);

/** Options of an engine, beside the directory of the templates. */
export interface EngineOptions {
  /** The extension of templates, without its dot: `eta`. */
  readonly extension: string;
  /** Whether templates may be kept once they were read. False in development: a changed one shows at the next request. */
  readonly cache: boolean;
}

/**
 * Makes HTML of templates: `views: { engine, extension }` in the config. Called once, by the first view that is
 * rendered; `directory` is the absolute path of views/. The engine escapes values.
 */
export type ViewEngine = (directory: string, options: EngineOptions) => RenderView | Promise<RenderView>;

/** Renders `name`, a path below the directory with its extension: `mail/letter.eta`. That file exists. */
export type RenderView = (name: string, data: object) => string | Promise<string>;

/** A template that is missing, does not parse or throws. The message begins with its file, and line where it is known. */
export class ViewError extends Error {
  override readonly name = 'ViewError';
  readonly code: ProblemCode = 'FWK415';
}
