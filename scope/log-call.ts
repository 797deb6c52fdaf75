import { isObject, slotKey } from '../kernel/index.js';

export interface LogCall {
  readonly message: string;
  /** The thrown value, alone in a list because any value can be thrown; empty if nothing was thrown. */
  readonly thrown: readonly unknown[];
  readonly fields: Readonly<Record<string, unknown>>;
  /** Further arguments after the text that are not part of it. */
  readonly details: readonly unknown[];
}

/** The names of secret fields, as the plugin `log` defines them: for other code that shows sent or logged values. */
export const LOG_SECRETS = slotKey<(name: string) => boolean>('log.secrets');

/** Formats a call for people: without secrets and cycles, and truncated. */
export type LogText = (
  call: LogCall,
  fields: object,
  isSecret: (name: string) => boolean,
) => { readonly message: string; readonly rest?: string | undefined };

/** How the framework's own logger formats a call for people. */
export const LOG_TEXT = slotKey<LogText>('log.text');

const NO_FIELDS = Object.freeze({});

/**
 * Parses the arguments of a logger method like pino: fields, or an error, and a text; or a text alone. `%s`,
 * `%d` and similar placeholders stand for the plain values that follow; an error among these values is the
 * thrown value.
 */
export function logCall(first: unknown, rest: readonly unknown[]): LogCall {
  if (first instanceof Error) return callOf(rest[0] ?? first.message, rest.slice(1), NO_FIELDS, [first]);
  if (!isObject(first)) return callOf(first, rest, NO_FIELDS, []);
  if (!('err' in first)) return callOf(rest[0] ?? '', rest.slice(1), first, []);
  const { err, ...fields } = first;
  return callOf(rest[0] ?? '', rest.slice(1), fields, [err]);
}

function callOf(
  text: unknown,
  values: readonly unknown[],
  fields: LogCall['fields'],
  known: readonly unknown[],
): LogCall {
  const error = known.length === 0 ? values.find((value) => value instanceof Error) : undefined;
  const details = error === undefined ? [...values] : values.filter((value) => value !== error);
  const fill = (place: string): string => (isPlain(details[0]) ? String(details.shift()) : place);
  const message = details.length === 0 ? String(text) : String(text).replace(/%[sdifjoO]/g, fill);
  return { message, thrown: error === undefined ? known : [error], fields, details };
}

const isPlain = (value: unknown): boolean =>
  typeof value === 'string' ||
  typeof value === 'number' ||
  typeof value === 'bigint' ||
  typeof value === 'boolean';
