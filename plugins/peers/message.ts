import type { Json } from '../../kernel/index.js';

/** Throws TypeError for what JSON has not: it would be lost on the way, or be another thing there. */
export function checkHead(head: Json): void {
  const wrong = mistakeIn(head, 'the head', []);
  if (wrong !== undefined) throw new TypeError(`A message takes what JSON has, and ${wrong}`);
}

function mistakeIn(value: unknown, where: string, around: readonly unknown[]): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${where} is ${value}`;
  if (typeof value !== 'object') return `${where} is ${value === undefined ? value : `a ${typeof value}`}`;
  if (around.includes(value)) return `${where} is in itself`;
  const inside = [...around, value];
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) {
      const wrong = mistakeIn(one, `${where}[${at}]`, inside);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value)))
    return `${where} is a ${Object(value).constructor?.name ?? 'class instance'}`;
  for (const [key, one] of Object.entries(value)) {
    const wrong = one === undefined ? undefined : mistakeIn(one, `${where}.${key}`, inside);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
