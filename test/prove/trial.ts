import { rmSync } from 'node:fs';
import { project } from '../harness/project.js';
import type { Change } from './breaks.js';
import { guardedApp } from './guarded-app.js';
import { type Proven, prove } from './proving.js';

/** What is found in the project of a seed after a change; undefined where that changes nothing of it. */
export async function tryOut(seed: number, change: Change, thorough = false): Promise<Proven | undefined> {
  const app = guardedApp(seed);
  if (change(app) === false) return undefined;
  const made = project(app.files);
  try {
    return await prove(made, thorough);
  } finally {
    rmSync(made.root, { recursive: true, force: true });
  }
}

/** The first seed from `from` on in whose project there is something to change. */
export function seedFor(change: Change, from: number): number {
  for (let seed = from; seed < from + 200; seed += 1) if (change(guardedApp(seed)) !== false) return seed;
  throw new Error('no project has what is to be changed');
}

const ROUNDS = 3;

/** Seeds of several such projects, which differ. */
export const seedsFor = (change: Change): readonly number[] =>
  Array.from({ length: ROUNDS }, (_, round) => seedFor(change, 10 + 31 * round));
