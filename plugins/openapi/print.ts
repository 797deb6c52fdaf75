import type { CommandRun } from '../../contributions/index.js';
import { BootError, type ProblemCode, type Resolved } from '../../kernel/index.js';
import { makeDocument } from './document/document.js';
import { toText } from './document/json-schema.js';
import type { Gap } from './document/operation.js';
import { securityMistakes } from './security.js';
import { settingsOf } from './settings.js';

const UNTOLD: ProblemCode = 'FWK422';

/** `fwk routes --openapi`: prints the document to stdout, and the missing schemas to stderr. */
export async function run(_: CommandRun, { routes, project }: Resolved): Promise<void> {
  const settings = settingsOf(project);
  const mistakes = await securityMistakes(routes, project, settings);
  if (mistakes.length > 0)
    throw new BootError(
      mistakes.map(({ file = '', message, code }) => ({ file: project.display(file), message, code })),
    );
  const { document, gaps } = await makeDocument(routes, project, settings);
  for (const { route, part, vendor } of gaps)
    console.error(
      `${UNTOLD} ${project.display(route.file)}: ${route.label} has a "${part}" schema that cannot be converted to JSON Schema. ${adviceFor(vendor)}`,
    );
  const text = `${toText(document, 2)}\n`;
  // The process may exit right after this, so the data must have been written to the pipe by then.
  await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
}

const adviceFor = (vendor: Gap['vendor']): string =>
  ADVICE.get(vendor) ?? `"${vendor}" must implement Standard JSON Schema.`;

const ADVICE: ReadonlyMap<string, string> = new Map([
  ['valibot', 'Install @valibot/to-json-schema, and wrap the schema in its toStandardJsonSchema().'],
  ['zod', 'Update zod to 4.2 or later.'],
  ['arktype', 'Update arktype to 2.1.28 or later.'],
]);
