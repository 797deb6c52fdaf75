import { inspect } from 'node:util';
import { coded, type Fields, type MemoryOptions, type SharedMemory } from '../../kernel/index.js';

// What every memory takes, whoever keeps it. All throw TypeError.

export function checkKey(key: unknown): void {
  if (typeof key !== 'string') throw wrong('a key', 'a text', key);
}

export function checkFields(fields: Fields): void {
  for (const name in fields)
    if (typeof fields[name] !== 'string') throw wrong(`the field "${name}"`, 'a text', fields[name]);
}

/** A number that is none would be kept for ever, or make a sum that nothing can be added to. */
export function checkNumbers(numbers: Readonly<Record<string, unknown>>): void {
  for (const name in numbers)
    if (!Number.isFinite(numbers[name])) throw wrong(name, 'a finite number', numbers[name]);
}

/** A bound that is none would not hold. */
export function checkMemoryOptions(options: MemoryOptions = {}): void {
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && !(Number.isFinite(value) && value > 0))
      throw wrong(name, 'a number above 0', value);
}

/** The memory of an engine, which is not asked for what no memory takes. */
export const checkedMemory = (memory: SharedMemory): SharedMemory => ({
  get(key) {
    checkKey(key);
    return memory.get(key);
  },
  put(key, fields, maxAge, only) {
    checkKey(key);
    checkFields(fields);
    checkNumbers({ maxAge });
    return memory.put(key, fields, maxAge, only);
  },
  take(key) {
    checkKey(key);
    return memory.take(key);
  },
  add(key, amount, maxAge) {
    checkKey(key);
    checkNumbers({ amount, maxAge });
    return memory.add(key, amount, maxAge);
  },
});

const wrong = (what: string, expected: string, given: unknown): TypeError =>
  coded(
    'FWK803',
    new TypeError(`In a shared memory ${what} is ${expected}, and ${inspect(given, { depth: 0 })} is none`),
  );
