import { coded } from '../../kernel/index.js';
import { checkedOutput, type HttpRequest } from '../http/index.js';
import type { EventSchemas } from './events.js';

/** Gives what is sent for the data of an event, or a promise of it. Throws TypeError, or rejects, for data that does not fit. */
export type EventCheck = (event: string, data: unknown) => unknown;

/** The check of the events that answer one request. */
export function checkOf(events: EventSchemas, { route, path }: HttpRequest): EventCheck {
  if (route.meta.checkResponse === false) return (_event, data) => data;
  const label = route.label ?? path;
  return (event, data) => {
    const schema = Object.hasOwn(events, event) ? events[event] : undefined;
    if (!schema)
      throw coded(
        'FWK414',
        new TypeError(
          `${label}: "events" does not declare ${JSON.stringify(event)}. It has ${Object.keys(events).join(', ')}.`,
        ),
      );
    return checkedOutput(schema, data, `${label}: "events" refuses the data of "${event}"`);
  };
}
