import { isAbsolute, normalize } from 'node:path';
import { alarmed } from '../alarmed.js';
import { inTime, type Subject } from '../subject.js';

/** The targets of `fwk types`, `fwk scaffold` and `fwk skills`. */
const TARGETS = ['types', 'scaffold', 'skills'];

export async function check(subject: Subject): Promise<readonly string[]> {
  const { folder, imported } = alarmed(subject);
  const findings: string[] = [];
  const before = folder.list();
  for (const target of [...TARGETS, ...(subject.fixtures.targets ?? [])]) {
    const generate = () => inTime(`Generating ${target}`, subject.open({ folder }).generate(target));
    const [first, second] = [await generate(), await generate()];
    for (const [index, output] of first.outputs.entries()) {
      const again = second.outputs[index];
      if (JSON.stringify(output) !== JSON.stringify(again))
        findings.push(`It describes ${output.path} in two ways when it is asked for ${target} twice.`);
      if (isAbsolute(output.path) || normalize(output.path).startsWith('..'))
        findings.push(`It describes ${output.path} for ${target}, which is outside of the project.`);
    }
    if (first.outputs.length !== second.outputs.length || `${first.warnings}` !== `${second.warnings}`)
      findings.push(
        `It describes other files, or warns of other things, when it is asked for ${target} twice.`,
      );
  }
  const after = folder.list();
  for (const name of new Set([...before.keys(), ...after.keys()]))
    if (before.get(name) !== after.get(name))
      findings.push(`It writes ${name} while files are generated. Emit it: only the command writes.`);
  return [
    ...findings,
    ...(await imported()).map((file) => `It imports ${file} to describe files. Paths alone have to do.`),
  ];
}
