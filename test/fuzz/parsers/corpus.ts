import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repo } from '../../harness/installed.js';

/** The inputs that reach all known blocks of each parser: a JSON list of texts in Latin-1, shortest first. */
const fileOf = (target: string): string => path.join(repo, 'test/fuzz/corpus', `${target}.json`);

const readJson = (target: string): unknown => JSON.parse(readFileSync(fileOf(target), 'utf8'));

/** Texts that reach the branches of a parser, byte by byte in Latin-1. */
export const wordsOf = (target: string): readonly string[] =>
  (readJson('words') as Readonly<Record<string, readonly string[]>>)[target] ?? [];

export function readCorpus(target: string): Buffer[] {
  const texts = readJson(target);
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
