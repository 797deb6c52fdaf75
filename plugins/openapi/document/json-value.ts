import { isObject } from '../../../kernel/index.js';
import type { JsonSchema } from '../../http/index.js';

/** The objects in a list: those of `anyOf`, say. */
export const objectsIn = (value: unknown): readonly JsonSchema[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** As JSON text. A bigint, as a default has it, is a text. */
export const toText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, (_key, one) => (typeof one === 'bigint' ? String(one) : one), indent);
