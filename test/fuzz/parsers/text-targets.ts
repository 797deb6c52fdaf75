import { addMembers, appendLines, replaceBlock } from '../../../cli/files/merge.js';
import { BootError } from '../../../kernel/index.js';
import { PathError, PathReader } from '../../../plugins/http/routing/file-path.js';
import { Router } from '../../../plugins/http/routing/router.js';
import { NameError } from '../../../plugins/mcp/table/names.js';
import { uriTemplate } from '../../../plugins/mcp/table/uri-template.js';
import { holds, type Target } from './target.js';

// Readers of names and of users' files.

/** The result, or undefined if an error of this class is thrown. */
function unless<Result>(refusal: new (...given: never[]) => Error, make: () => Result): Result | undefined {
  try {
    return make();
  } catch (thrown) {
    if (thrown instanceof refusal) return undefined;
    throw thrown;
  }
}

/** Paths of files are no longer (PATH_MAX of Linux), in bytes. */
const LONGEST_PATH = 4_096;

const filePath: Target = {
  name: 'file-path',
  run(input) {
    const file = `${input.toString('latin1')}.ts`;
    if (file.length > LONGEST_PATH) return;
    const read = new PathReader('/api', { get: 'GET', post: 'POST' }).read(file);
    if (read instanceof PathError) return;
    holds(read.path.startsWith('/api'), `the path ${read.path}`);
    holds(new Set(read.params).size === read.params.length, `the parameters ${read.params}`);
    if (!/^[\w/:*.$-]*$/.test(read.path) || /\/(?:\.\.?)?(?:\/|$)/.test(read.path)) return;
    const router = new Router<string>();
    router.add({ method: 'GET', path: read.path }, 'found');
    const url = read.path.replaceAll(/\/[:*][^/]*/g, '/x');
    const found = router.find('GET', url);
    holds(found !== 'malformed' && 'value' in found, `${url} is not found by ${read.path}`);
    holds(Object.keys(found.params).join() === read.params.join(), `the parameters of ${url}`);
  },
};

const template: Target = {
  name: 'uri-template',
  run(input) {
    const [text = '', uri = ''] = input.toString('latin1').split('\n');
    const made = unless(NameError, () => uriTemplate(text));
    const values = made?.match(uri);
    if (made === undefined || values === undefined) return;
    holds(Object.getPrototypeOf(values) === null, 'the values have a prototype');
    for (const name of Object.keys(values)) holds(made.variables.includes(name), `the variable ${name}`);
  },
};

const [BEGIN, END] = ['<!-- fwk:begin -->', '<!-- fwk:end -->'];

const files: Target = {
  name: 'files',
  run(input) {
    const text = input.toString();
    const block = unless(BootError, () => replaceBlock(text, 'ours', 'f'));
    if (block !== undefined) {
      holds(replaceBlock(block, 'ours', 'f') === block, 'a second block is another');
      const kept = (all: string) =>
        all.split(BEGIN).map((part, at) => (at === 0 ? part : part.split(END).slice(1).join(END)));
      const [theirs, now] = [kept(text).join('').trim(), kept(block).join('').trim()];
      if (!text.includes(BEGIN) && !text.includes(END)) holds(now === theirs, 'a text of the user is lost');
    }
    const lines = appendLines(text, '.fwk/\ndist/\n');
    holds(lines.startsWith(text), 'a line of the user is lost');
    holds(appendLines(lines, '.fwk/\ndist/\n') === lines, 'a second append appends');
    const ours = '{"type":"module","scripts":{"dev":"fwk dev"}}';
    const merged = unless(BootError, () => addMembers(text, ours, 'f'));
    if (merged === undefined) return;
    holds(addMembers(merged, ours, 'f') === merged, 'a second merge merges');
    if (text.trim() === '') return;
    const [before, after] = [text, merged].map((json) => JSON.parse(json.replace(/^\uFEFF/, '')));
    for (const [key, value] of Object.entries(before))
      if (key !== 'type' && key !== 'scripts')
        holds(
          JSON.stringify(after[key]) === JSON.stringify(value),
          `the member ${JSON.stringify(key)} is lost`,
        );
    for (const [key, value] of Object.entries(before.scripts ?? {}))
      holds(
        JSON.stringify(after.scripts[key]) === JSON.stringify(value),
        `the script ${JSON.stringify(key)} is lost`,
      );
  },
};

export const textTargets: readonly Target[] = [filePath, template, files];
