import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repo } from '../../harness/installed.js';

/** Inputs that reach all that is known of each parser: a JSON list of texts in Latin-1, shortest first. */
const fileOf = (target: string): string => path.join(repo, 'test/fuzz/corpus', `${target}.json`);

export function readCorpus(target: string): Buffer[] {
  const texts: unknown = JSON.parse(readFileSync(fileOf(target), 'utf8'));
  if (!Array.isArray(texts)) throw new TypeError(`${fileOf(target)} has to be a list of texts.`);
  return texts.map((text) => Buffer.from(String(text), 'latin1'));
}

export function writeCorpus(target: string, inputs: readonly Buffer[]): void {
  const texts = inputs
    .map((input) => input.toString('latin1'))
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  mkdirSync(path.dirname(fileOf(target)), { recursive: true });
  writeFileSync(fileOf(target), `${JSON.stringify(texts, null, 2)}\n`);
}
