import { BootError } from '../../../kernel/internal.js';
import { findingOf, inTime, type Subject } from '../subject.js';

interface Mistake {
  readonly file: string;
  readonly text: string;
  /** Completes "A file that …". */
  readonly what: string;
}

/** Breaks one file after the other: as the fixtures have it, and in ways that are wrong for every convention. */
export async function check(subject: Subject): Promise<readonly string[]> {
  const { broken = {} } = subject.fixtures;
  const given = Object.entries(broken).map(([file, text]) => ({ file, text, what: 'is broken' }));
  const findings: string[] = [];
  for (const mistake of [...given, ...generalMistakes(subject)])
    findings.push(...(await tried(subject, mistake)));
  return findings;
}

/** One file of each kind, wrong in each way. */
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
  try {
    const { close } = await inTime(
      `Resolving with ${file}, which ${what},`,
      subject.open({ folder }).resolve(),
    );
    await close();
    return [`${file} ${what}, and nothing is reported. Report it with project.report or project.load.`];
  } catch (thrown) {
    if (!(thrown instanceof BootError))
      return [`${file} ${what}, which ends in an error that names no file: ${findingOf(thrown)}`];
    const own = thrown.problems.filter((problem) => problem.file === file || problem.message.includes(file));
    if (own.length === 0)
      return [`${file} ${what}, and what is reported does not name it: ${findingOf(thrown)}`];
    return own
      .filter(({ message }) => !/^\S+ .*[.!?]/s.test(message))
      .map(
        ({ message }) =>
          `${file} ${what}, and what is reported is not a sentence: ${JSON.stringify(message)}.`,
      );
  }
}
