import type { Entrance } from './facts.js';

/** A text that only this entrance of a module has. */
export function keyOf(entrance: Entrance): string {
  if (entrance.kind === 'wrappers') return entrance.kind;
  if (entrance.kind === 'convention') return `${entrance.kind} ${entrance.unit ?? ''}`;
  const { path, key = '' } = entrance.value;
  const place = entrance.kind === 'property' ? entrance.name : `${entrance.unit} ${entrance.index}`;
  return `${entrance.kind} ${place} ${path.join('.')}:${key}`;
}
