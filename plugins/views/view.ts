import { brand, coded } from '../../kernel/index.js';

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
    throw coded(
      'FWK415',
      new TypeError(`view() takes the path of a template below views/, not ${JSON.stringify(name)}`),
    );
  return Object.freeze(views.mark({ name, data }));
}

export const isView = views.has;

/** Whether it is the one spelling of a template, and no way out: no empty segment, `.` or `..`, no backslash, no NUL. */
export const isInside = (name: unknown): boolean =>
  typeof name === 'string' && !/(^|\/)\.{0,2}(\/|$)|[\\\0]/.test(name);
