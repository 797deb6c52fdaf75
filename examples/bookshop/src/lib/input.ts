import { error } from 'fwkit';

// What comes from a client may be anything. Each function gives what its name says, or answers 400 with one sentence.

export type Fields = Readonly<Record<string, unknown>>;

export function readFields(body: unknown): Fields {
  if (isFields(body)) return body;
  throw error(400, { message: 'The body must be a JSON object.' });
}

export function readText(fields: Fields, name: string, { max = 200 } = {}): string {
  const value = fields[name];
  if (typeof value === 'string' && value.trim() !== '' && value.length <= max) return value.trim();
  throw error(400, { message: `"${name}" must be a text of 1 to ${max} characters.` });
}

export function readWhole(fields: Fields, name: string, { min = 0, max = Number.MAX_SAFE_INTEGER }): number {
  const value = fields[name];
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw error(400, { message: `"${name}" must be a whole number from ${min} to ${max}.` });
}

export function readBoolean(fields: Fields, name: string): boolean {
  const value = fields[name];
  if (typeof value === 'boolean') return value;
  throw error(400, { message: `"${name}" must be true or false.` });
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
