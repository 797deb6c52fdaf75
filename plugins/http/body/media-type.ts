import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '../request/http-error.js';

/** Whether a Content-Type is `multipart/form-data` (RFC 7578 §4). */
export const isForm = (contentType: string): boolean => /^multipart\/form-data\s*(;|$)/i.test(contentType);

/** `application/json`, and every media type with the suffix `+json` (RFC 6839 §3.1). */
const JSON_TYPE = /^application\/(?:[^;\s]+\+)?json\s*(;|$)/i;

const URLENCODED = /^application\/x-www-form-urlencoded\s*(;|$)/i;

export const isFormBody = ({ headers }: IncomingMessage): boolean => {
  const type = headers['content-type'];
  return type !== undefined && type !== 'application/json' && (URLENCODED.test(type) || isForm(type));
};

/** Whether a body is JSON or a form, which a schema can check. */
export const hasFields = (raw: IncomingMessage): boolean =>
  raw.headers['content-type'] === 'application/json' ||
  JSON_TYPE.test(raw.headers['content-type'] ?? '') ||
  isFormBody(raw);

const ACCEPTED = 'application/json, application/x-www-form-urlencoded, multipart/form-data';

/** The 415 response of a route with a body schema. It lists the accepted media types (RFC 9110 §15.5.16). */
export const unsupportedType = (): HttpProblem =>
  new HttpProblem(415, `The body must be one of ${ACCEPTED}`, undefined, { Accept: ACCEPTED });
