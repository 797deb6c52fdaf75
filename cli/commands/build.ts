import { cpSync, existsSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CHECKS } from '../../app/checks/index.js';
import type { CommandRun, Flags } from '../../contributions/index.js';
import { type ProjectPaths, toPosix } from '../../kernel/index.js';
import { findPackage, packageManager } from '../../loader/index.js';
import { SKILLS_DIRECTORY } from '../../plugins/mcp/index.js';
import { Build } from '../build/build-record.js';
import { recordCompiled, SourceNames } from '../build/check-output.js';
import { compilation, tsc } from '../build/tsc.js';
import { generate } from '../files/generate.js';
import { write } from '../files/write.js';
import { listWritten } from '../terminal/report.js';

/** Write the types, compile, delete the output of deleted sources, and check the compiled files. Errors leave the previous build. */
export async function run(command: CommandRun): Promise<void> {
  if (command.flags.docker === true) return writeDockerFiles(command.paths(), command.flags);
  await build(command);
}

/** Build, and set the exit code. Returns the output directory; undefined if nothing was compiled, or the output must not run. */
export async function build(command: CommandRun): Promise<string | undefined> {
  process.env.NODE_ENV ??= 'production';
  const { paths: find, open } = command;
  const paths = find();
  const kernel = await open();
  await generate(kernel, paths, CHECKS);
  const [types] = await generate(kernel, paths, 'types');
  if (types) console.log(types.path);
  if (!existsSync(join(paths.root, 'tsconfig.json'))) {
    console.log('There is no tsconfig.json: nothing to compile.');
    return undefined;
  }
  const compiled = await compilation(paths);
  if (!compiled) {
    // The compiler reports an invalid tsconfig.
    process.exitCode = (await tsc(paths.root, [])).status;
    return undefined;
  }
  const { outDir, rootDir, writesErrors, record, sources, aliases } = compiled;
  const output = new Build(paths.root, outDir);
  // An incremental compiler would not write a missing file again.
  if (record !== undefined && output.lacks(sources)) rmSync(record, { force: true });
  const { status, files } = await tsc(paths.root, [
    ...compiled.flags,
    ...(writesErrors ? [] : ['--noEmitOnError']),
  ]);
  if (status !== 0 && !writesErrors && existsSync(outDir))
    console.log(`There are errors, so nothing was written: ${shown(paths, outDir)} is unchanged.`);
  if (status !== 0 && findPackage(join(paths.root, 'package.json'), '@types/node') === undefined)
    console.log(
      `The types of Node, which the types of fwkit need, are not installed. Run ${packageManager(paths.root).addForDevelopment} @types/node.`,
    );
  output.wrote(files, [rootDir]);
  process.exitCode = status;
  if (status !== 0 || !existsSync(outDir)) return undefined;
  const claimed = kernel.entries().map(({ file }) => file);
  output.copy(
    paths.source,
    claimed.filter((file) => !/\.m?[jt]sx?$/.test(file)),
  );
  // The files of a skill belong to it unchanged, modules included, which the compiler has compiled.
  const [skills, copy] = [join(paths.source, SKILLS_DIRECTORY), join(outDir, SKILLS_DIRECTORY)];
  if (skills !== copy) rmSync(copy, { recursive: true, force: true });
  if (skills !== copy && existsSync(skills)) cpSync(skills, copy, { recursive: true });
  for (const path of output.clean()) console.log(`${path} was removed: its source no longer exists.`);
  const names = new SourceNames(paths, outDir, aliases);
  try {
    for (const { path } of await recordCompiled(paths, outDir, names, command)) console.log(path);
  } catch (thrown) {
    console.log(`${shown(paths, outDir)} contains the rejected build: do not start or deploy it.`);
    throw names.inError(thrown);
  }
  return outDir;
}

async function writeDockerFiles(paths: ProjectPaths, flags: Flags): Promise<void> {
  const { dockerFiles } = await import('../build/docker.js');
  for (const line of listWritten(write(paths.root, dockerFiles(paths.root), flags.force === true)))
    console.log(line);
}

const shown = ({ root }: ProjectPaths, directory: string): string =>
  toPosix(relative(root, directory)) || '.';
