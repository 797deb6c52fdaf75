import { coded } from '../../kernel/index.js';
/** The fields of an event beside its data. */
export interface EventFields {
  /** The client sends the last one it got as `Last-Event-ID` when it connects again. */
  readonly id?: string;
  /** Milliseconds that the client waits before it connects again. */
  readonly retry?: number;
}

/** The text of one event (WHATWG HTML §9.2.5). Throws TypeError for a value that would be read as another field. */
export function eventText(event: string | undefined, data: unknown, { id, retry }: EventFields): string {
  // JSON is one line.
  const text = typeof data === 'string' ? continued(data, '\ndata: ') : JSON.stringify(data);
  if (text === undefined)
    throw coded(
      'FWK410',
      new TypeError(`an event's data is text or what JSON has, not a value of type ${typeof data}`),
    );
  if (event !== undefined && /[\r\n]/.test(event))
    throw coded('FWK504', new TypeError(`an event's name is one line, not ${JSON.stringify(event)}`));
  // A client ignores an id with NUL, and would ask for the same events again.
  if (id !== undefined && /[\r\n\0]/.test(id))
    throw coded('FWK504', new TypeError(`an event's id is one line without NUL, not ${JSON.stringify(id)}`));
  if (retry !== undefined && !(Number.isSafeInteger(retry) && retry >= 0))
    throw coded('FWK504', new TypeError(`retry is a whole number of milliseconds, not ${String(retry)}`));
  let fields = event === undefined ? '' : `event: ${event}\n`;
  if (id !== undefined) fields += `id: ${id}\n`;
  if (retry !== undefined) fields += `retry: ${retry}\n`;
  return `${fields}data: ${text}\n\n`;
}

/** The same for data that is JSON, whatever it is: clients read text by its schema, too. */
export const jsonEventText = (event: string | undefined, data: unknown, fields: EventFields): string =>
  eventText(event, typeof data === 'string' ? JSON.stringify(data) : data, fields);

/** A line that clients ignore. */
export const commentText = (text: string): string => `: ${continued(text, '\n: ')}\n\n`;

/** `text` with `prefix` for its newlines: all three kinds end a line of the format. Most texts have none. */
const continued = (text: string, prefix: string): string =>
  /[\r\n]/.test(text) ? text.replace(/\r\n|\r|\n/g, () => prefix) : text;
