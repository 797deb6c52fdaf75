import { join } from 'node:path';
import { BootError, type Finding, type Output } from '../../../kernel/internal.js';
import { EDITORS, wordsOf } from '../../../plugins/skills/editors.js';
import { hasBlock, replaceBlock } from '../../files/merge.js';
import { textOf } from '../files.js';
import type { Rule } from '../subject.js';

/** Guidance for assistants that is of another state of the project, or of another version of fwk. */
export const staleGuidance: Rule = async ({ paths: { root }, kernel }) => {
  const texts = new Map(EDITORS.map(({ path }) => [path, textOf(join(root, path))]));
  const there = EDITORS.filter(({ path }) => texts.get(path) !== undefined);
  if (there.length === 0 || !kernel?.plugins.has('skills')) return [];
  const { outputs } = await kernel.generate('skills', { ide: there.map(({ name }) => name).join() });
  return outputs.flatMap((output) => {
    const text = texts.get(output.path);
    return text === undefined ? [] : findingsOf(output, text);
  });
};

function findingsOf(output: Output, text: string): Finding[] {
  const { path } = output;
  try {
    if (wordsOf(refreshed(output, text)) === wordsOf(text)) return [];
  } catch (thrown) {
    if (thrown instanceof BootError)
      return thrown.problems.map(({ message, line }) => lostMarker(message, path, line));
    throw thrown;
  }
  return [
    {
      rule: 'stale-guidance',
      code: 'FWK623',
      file: path,
      message:
        'is not what fwk skills would write now: assistants are told of another state of the project, or of fwk.',
      fix: `Run ${commandFor(path)}.`,
      outputs: [output],
    },
  ];
}

const lostMarker = (message: string, file: string, line: number | undefined): Finding => ({
  rule: 'stale-guidance',
  code: 'FWK623',
  file,
  ...(line !== undefined && { line }),
  message,
  fix: `Then run ${commandFor(file)}.`,
});

/** A file as fwk skills would leave it behind. What is a person's own, or has no block, stays as it is. */
function refreshed({ contents, ifExists, path }: Output, text: string): string {
  if (ifExists === 'replace') return contents;
  return ifExists === 'block' && hasBlock(text, path) ? replaceBlock(text, contents, path) : text;
}

const commandFor = (path: string): string =>
  `fwk skills --ide ${EDITORS.find((editor) => editor.path === path)?.name}`;
