import { stripVTControlCharacters } from 'node:util';
import * as assert from 'uvu/assert';
import { type Ended, fwk } from './fwk.js';
import { inLayout, type Project } from './project.js';

/** Runs a command that must be refused: status 1, nothing on stdout, sentences without a stack on stderr. */
export async function refusal(project: Pick<Project, 'root'>, ...args: string[]): Promise<string> {
  const result = await fwk(project, ...args);
  assertRefused(result, `fwk ${args.join(' ')}`);
  return result.stderr;
}

/** Fails unless the command ended as a mistake of its user must end. */
export function assertRefused({ status, stdout, stderr }: Ended, name: string): void {
  assert.is(status, 1, `${name} ended with ${status}:\n${stdout}${stderr}`);
  assert.is(stdout, '', name);
  assert.not.match(stderr, /^\s+at /m);
  assert.not.match(stderr, /node:internal|\[object Object\]/);
  assert.is(stripVTControlCharacters(stderr), stderr, 'colour to a pipe');
  assert.match(stderr, /[.?]$/m);
}

/** Fails unless stderr contains the sentence with the file's path in this layout. */
export function assertReported(stderr: string, project: Project, file: string, sentence: string): void {
  const line = `${project.label(file)}${/^:\d+: /.test(sentence) ? '' : ': '}${inLayout(sentence, project.layout)}`;
  assert.ok(stderr.includes(line), `Not reported: ${line}\nIn:\n${stderr}`);
}
