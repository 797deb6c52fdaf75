/** The fields of a line of the access log, whose text says to people what they need. */
export class AccessFields {
  readonly [field: string]: unknown;

  constructor(fields: Readonly<Record<string, unknown>>) {
    Object.assign(this, fields);
  }
}
