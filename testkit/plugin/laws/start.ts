import { isAbsolute, normalize } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { BootError } from '../../../kernel/index.js';
import type { ProjectFolder } from '../folder.js';
import { STARTED, withRun } from '../run.js';
import { findingOf, inTime, type Subject } from '../subject.js';

/** The fixtures boot, and use everything that the plugin claims: otherwise the other laws would check nothing. */
export const checkBoot = (subject: Subject): Promise<readonly string[]> =>
  withRun(subject, subject.folder(), async (run) => {
    const { kernel } = await run.start();
    const used = new Set(kernel.entries().map(({ kind }) => kind));
    const unused = [...new Map(subject.claims())].filter(([kind]) => !used.has(kind));
    const missing = unused.map(
      ([kind, glob]) => `The fixtures have no file of the kind "${kind}". Add one that "${glob}" matches.`,
    );
    return [...(await run.failures(STARTED)), ...missing];
  });

/** Claims and entries are the same each time, and no module is imported to find them. */
export async function checkDiscovery(subject: Subject): Promise<readonly string[]> {
  const [first, second] = [subject.claims(), subject.claims()].map((list) => JSON.stringify(list));
  if (first !== second)
    return [`The plugin claims ${first} at first, and then ${second}. Claim the same files each time.`];
  const { folder, imported } = folderWithTraces(subject);
  const find = () => JSON.stringify(subject.open({ folder }).entries());
  const [once, twice] = [find(), find()];
  const files = await imported();
  return [
    ...(once === twice ? [] : [`The plugin finds ${once} at first, and then ${twice}.`]),
    ...files.map((file) => `${file} is imported to find files. Use only paths.`),
  ];
}

const TARGETS = ['types', 'scaffold', 'skills'];

/** Each target is described the same way each time, from paths alone, and no file is written. */
export async function checkGeneration(subject: Subject): Promise<readonly string[]> {
  const { folder, imported } = folderWithTraces(subject);
  const findings: string[] = [];
  const before = folder.list();
  for (const target of [...TARGETS, ...(subject.fixtures.targets ?? [])]) {
    const generate = () => inTime(`Generating ${target}`, subject.open({ folder }).generate(target));
    const [first, second] = [await generate(), await generate()];
    const otherwise = `when ${target} are generated again. Generate the same for the same paths.`;
    for (const [index, output] of first.outputs.entries()) {
      if (JSON.stringify(output) !== JSON.stringify(second.outputs[index]))
        findings.push(`${output.path} differs ${otherwise}`);
      if (isAbsolute(output.path) || normalize(output.path).startsWith('..'))
        findings.push(`${output.path} is generated for ${target}, but it is outside of the project.`);
    }
    if (first.outputs.length !== second.outputs.length || `${first.warnings}` !== `${second.warnings}`)
      findings.push(`The files or warnings differ ${otherwise}`);
  }
  const after = folder.list();
  for (const name of new Set([...before.keys(), ...after.keys()]))
    if (before.get(name) !== after.get(name))
      findings.push(`${name} is written while files are generated. Emit it: only the command writes.`);
  const files = await imported();
  return [...findings, ...files.map((file) => `${file} is imported to generate files. Use only paths.`)];
}

interface Mistake {
  readonly file: string;
  readonly text: string;
  /** Completes "The file …". */
  readonly what: string;
}

/** Breaks one file after the other: with the mistakes in the fixtures, and in ways that are invalid for every convention. */
export async function checkErrors(subject: Subject): Promise<readonly string[]> {
  const { broken = {} } = subject.fixtures;
  const given = Object.entries(broken).map(([file, text]) => ({ file, text, what: 'is broken' }));
  const findings: string[] = [];
  for (const mistake of [...given, ...generalMistakes(subject)])
    findings.push(...(await tried(subject, mistake)));
  return findings;
}

/** One file of each kind, broken in each way. */
function generalMistakes(subject: Subject): readonly Mistake[] {
  const kinds = new Set(subject.claims().map(([kind]) => kind));
  const entries = subject.open({ folder: subject.folder() }).entries();
  const files = [...kinds].flatMap((kind) => entries.find((entry) => entry.kind === kind)?.file ?? []);
  return files.flatMap((file) => [
    {
      file,
      what: 'throws when it is imported',
      text: 'throw new Error("broken by the test of the plugin");\n',
    },
    { file, what: 'does not parse', text: 'export default ;\n' },
    ...(subject.fixtures.acceptsEmptyModules === true
      ? []
      : [{ file, what: 'exports nothing', text: 'export {};\n' }]),
  ]);
}

async function tried(subject: Subject, { file, text, what }: Mistake): Promise<readonly string[]> {
  const folder = subject.folder({ [file]: text });
  const broken = `${file} ${what}`;
  try {
    const resolving = inTime(`Resolving while ${broken}`, subject.open({ folder }).resolve());
    await (await resolving).close();
    return [`${broken}, but nothing is reported. Report it with project.report or project.load.`];
  } catch (thrown) {
    if (!(thrown instanceof BootError))
      return [`${broken}, but the error names no file: ${findingOf(thrown)}`];
    const own = thrown.problems.filter((problem) => problem.file === file || problem.message.includes(file));
    if (own.length === 0) return [`${broken}, but the problem does not name it: ${findingOf(thrown)}`];
    const fragments = own.filter(({ message }) => !/^\S+ .*[.!?]/s.test(message));
    return fragments.map(
      ({ message }) => `${broken}, but the problem is not a sentence: ${JSON.stringify(message)}.`,
    );
  }
}

/** The global symbol under which evaluated modules record their names. */
const KEY = 'fwkit.testing.evaluated';
/** Imported last, so that imports that the plugin does not await are complete by then. */
const LAST = 'last.mjs';

/** A project of the fixtures in which every claimed module records its name when it is evaluated. */
function folderWithTraces(subject: Subject): {
  folder: ProjectFolder;
  imported(): Promise<readonly string[]>;
} {
  const folder = subject.folder();
  const evaluated = new Set<string>();
  const texts = subject
    .open({ folder })
    .entries()
    .map(({ file }) => [
      file,
      `globalThis[Symbol.for('${KEY}')]?.add(${JSON.stringify(file)});\nexport {};\n`,
    ]);
  folder.write(Object.fromEntries(texts));
  Reflect.set(globalThis, Symbol.for(KEY), evaluated);
  return {
    folder,
    async imported() {
      folder.write({ [LAST]: '' });
      await import(pathToFileURL(folder.path(LAST)).href);
      await setImmediate();
      Reflect.deleteProperty(globalThis, Symbol.for(KEY));
      return [...evaluated].sort();
    },
  };
}
