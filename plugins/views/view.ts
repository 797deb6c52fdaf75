/** Known to every copy of this package in a process. */
const brand = Symbol.for('fwkit.view');

/** A template with its data, to be returned from a handler. */
export interface View {
  readonly name: string;
  readonly data: object;
}

/** Return it from a handler to render `views/<name>.eta` with `data`. Values are escaped. */
export function view(name: string, data: object = {}): View {
  return Object.freeze({ [brand]: true, name, data });
}

export const isView = (value: unknown): value is View =>
  typeof value === 'object' && value !== null && brand in value;
