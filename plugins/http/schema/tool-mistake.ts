import { isObject } from '../../../kernel/index.js';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';

const ANNOTATIONS: ReadonlyMap<string, Check> = new Map([
  ['title', isText],
  ['readOnlyHint', isFlag],
  ['destructiveHint', isFlag],
  ['idempotentHint', isFlag],
  ['openWorldHint', isFlag],
]);

const MEMBERS: ReadonlyMap<string, Check> = new Map([
  ['name', isText],
  ['title', isText],
  ['description', isText],
  ['annotations', (value) => isObject(value) && mistakenKey(value, ANNOTATIONS) === undefined],
  ['scopes', (value) => Array.isArray(value) && value.every(isText)],
]);

/** The key of a `tool` that is unknown or has the wrong value; '' where the whole is wrong, undefined where nothing is. */
export function toolMistake(tool: unknown): string | undefined {
  if (tool === true) return undefined;
  return isObject(tool) ? mistakenKey(tool, MEMBERS) : '';
}

const mistakenKey = (value: object, members: ReadonlyMap<string, Check>): string | undefined =>
  Object.entries(value).find(([key, one]) => one !== undefined && !members.get(key)?.(one))?.[0];
