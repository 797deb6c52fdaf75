import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { BootError, isObject, messageOf, type Output } from '../../kernel/index.js';
import { addMembers, appendLines, replaceBlock } from './merge.js';

/** The outcome for one output. `skipped`: the file belongs to the user and was not changed. */
export interface WriteResult {
  readonly path: string;
  readonly outcome: 'written' | 'unchanged' | 'skipped';
  /** For a skipped file: whether it is identical, byte for byte, to the output. */
  readonly isSame?: boolean;
}

interface Binary extends Pick<Output, 'path'> {
  readonly contents: Buffer;
  readonly ifExists: 'replace';
}

/** Write changed outputs below `root`; `force` overwrites files to keep. Throws a BootError before anything is written if one can't be. */
export function write(root: string, outputs: readonly (Output | Binary)[], force = false): WriteResult[] {
  const changed = new Map<string, Buffer>();
  const written = outputs.map((output): WriteResult => {
    checkOutput(output);
    const { path } = output;
    const before = changed.get(path) ?? read(root, path);
    const after = isText(output) ? Buffer.from(merge(output, before)) : output.contents;
    const isSame = before?.equals(after) === true;
    if (output.ifExists === 'keep' && before && !force) return { path, outcome: 'skipped', isSame };
    if (isSame) return { path, outcome: 'unchanged' };
    changed.set(path, after);
    return { path, outcome: 'written' };
  });
  for (const [path, contents] of changed) put(root, path, contents);
  return written;
}

/** Write a text to a file that need not be in a project: `file` is an absolute path. Throws a BootError if that fails. */
export function writeAnywhere(file: string, text: string): void {
  const contents = Buffer.from(text);
  if (!read('', file)?.equals(contents)) put('', file, contents);
}

const IF_EXISTS_VALUES: readonly unknown[] = [
  'replace',
  'keep',
  'lines',
  'members',
  'block',
] satisfies Output['ifExists'][];

/** Reject an output that a plugin describes incompletely: a wrong guess could overwrite the user's files. */
function checkOutput(output: unknown): void {
  const refuse = (what: string): never => {
    throw new BootError({ message: `${what}. Fix the plugin that emits it.`, code: 'FWK707' });
  };
  const { path, contents, ifExists } = isObject(output) ? output : {};
  if (typeof path !== 'string' || path === '' || path.includes('\0'))
    return refuse(`The path of a file must be a string, not ${JSON.stringify(path) ?? 'undefined'}`);
  if (typeof contents !== 'string' && !Buffer.isBuffer(contents))
    refuse(`The contents of "${path}" must be a string`);
  if (!IF_EXISTS_VALUES.includes(ifExists))
    refuse(`The ifExists of "${path}" must be one of ${IF_EXISTS_VALUES.join(', ')}`);
  if (isAbsolute(path) || /(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path))
    refuse(`"${path}" is not written: it is outside the project`);
}

const isText = (output: Output | Binary): output is Output => typeof output.contents === 'string';

function merge({ path, contents, ifExists }: Output, before: Buffer | undefined): string {
  switch (ifExists) {
    case 'lines':
      return appendLines(decode(before, path), contents);
    case 'members':
      return addMembers(decode(before, path), contents, path);
    case 'block':
      return replaceBlock(decode(before, path), contents, path);
    default:
      return contents;
  }
}

/** Bytes that are not valid UTF-8 would be lost when read as text and written back. */
function decode(bytes: Buffer | undefined, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new BootError({
      file,
      message: 'is not UTF-8. Save it as UTF-8, so that nothing of it gets lost.',
      code: 'FWK607',
    });
  }
}

function read(root: string, file: string): Buffer | undefined {
  try {
    return readFileSync(join(root, file));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new BootError({
      file,
      message: `cannot be read: ${messageOf(cause)}. Move it away.`,
      code: 'FWK112',
    });
  }
}

function put(root: string, file: string, contents: Buffer): void {
  try {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    replace(join(root, file), contents);
  } catch (cause) {
    throw new BootError({
      file,
      message: `cannot be written: ${messageOf(cause)}. Fix that first.`,
      code: 'FWK606',
    });
  }
}

/** Write a temporary file and rename it, so that readers, and a full disk, never leave a half-written file. */
function replace(file: string, contents: Buffer): void {
  const known = statSync(file, { throwIfNoEntry: false });
  // A link stays a link.
  const target = known ? realpathSync(file) : file;
  const beside = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(beside, contents);
    if (known) chmodSync(beside, known.mode);
    renameSync(beside, target);
  } catch (cause) {
    rmSync(beside, { force: true });
    throw cause;
  }
}
