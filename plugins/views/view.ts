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

/**
 * Return it from a handler to render `views/<name>.eta` with `data`. Values are escaped. Throws TypeError for a name
 * that is not a path below views/.
 */
export function view(name: string, data: object = {}): View {
  if (!isInside(name))
    throw coded(
      'FWK415',
      new TypeError(`view() takes the path of a template below views/, not ${JSON.stringify(name)}`),
    );
  return Object.freeze(views.mark({ name, data }));
}

export const isView = views.has;

/** One spelling per template, and no way out: no empty segment, `.` or `..`, no backslash, no NUL. */
const isInside = (name: unknown): boolean =>
  typeof name === 'string' && !/(^|\/)\.{0,2}(\/|$)|[\\\0]/.test(name);
