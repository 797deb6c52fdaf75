import type { Fields, SharedMemory } from 'fwkit/plugin';
import type { Names } from './names.js';
import type { ScriptRunner } from './script-runner.js';
import { ADD, GET, PUT, TAKE } from './scripts.js';

/** A memory that Redis keeps: a hash for each key, changed in one step. */
export function redisMemory(name: string, names: Names, scripts: ScriptRunner): SharedMemory {
  const keys = (key: string) => [names.memory(name, key)];
  return {
    async get(key) {
      const [left, held] = listOf(await scripts.run(GET, keys(key)));
      const fields = fieldsOf(held);
      return fields && { fields, left: Number(left) / 1000 };
    },
    async put(key, fields, maxAge, only) {
      const texts = Object.entries(fields).flatMap(([field, value]) => [escaped(field), value]);
      return Number(await scripts.run(PUT, keys(key), [milliseconds(maxAge), only ?? '', ...texts])) === 1;
    },
    take: async (key) => fieldsOf(await scripts.run(TAKE, keys(key))),
    add: async (key, amount, maxAge) =>
      Number(await scripts.run(ADD, keys(key), [String(amount), milliseconds(maxAge)])),
  };
}

/** A whole number, whatever is given: Redis takes no other. */
const milliseconds = (seconds: number): string =>
  String(Math.max(1, Math.min(Math.ceil(seconds * 1000), Number.MAX_SAFE_INTEGER)));

/** Stands before names that would be read as something else: the empty one says that the key is there. */
const ESCAPE = '=';
const escaped = (field: string): string =>
  field === '' || field.startsWith(ESCAPE) ? ESCAPE + field : field;
const unescaped = (field: string): string => (field.startsWith(ESCAPE) ? field.slice(1) : field);

/** The fields of a hash, as scripts give them: names and values in turn. Undefined where there is none. */
function fieldsOf(held: unknown): Fields | undefined {
  const texts = listOf(held).map(String);
  if (texts.length === 0) return undefined;
  const fields: [string, string][] = [];
  for (let at = 0; at < texts.length; at += 2)
    if (texts[at] !== '') fields.push([unescaped(texts[at] ?? ''), texts[at + 1] ?? '']);
  return Object.fromEntries(fields);
}

export const listOf = (answer: unknown): readonly unknown[] => (Array.isArray(answer) ? answer : []);
