import type { CommandRun } from '../../contributions/index.js';
import { BootError, type Resolved } from '../../kernel/index.js';
import { remedyFor } from '../http/internal.js';
import { makeDocument } from './document/document.js';
import { toText } from './document/json-schema.js';
import { securityMistakes } from './security.js';
import { documentsOf, settingsOf } from './settings.js';

/** `fwk routes --openapi [name]`: prints a document to stdout, and the missing schemas to stderr. */
export async function run({ flags }: CommandRun, { routes, project }: Resolved): Promise<void> {
  const documents = documentsOf(settingsOf(project));
  const settings = documents.find(({ name }) => name === (flags.openapi || undefined));
  if (!settings) {
    const names =
      documents.flatMap(({ name }) => (name === undefined ? [] : `"${name}"`)).join(', ') || 'none';
    const message = `has no document "${flags.openapi}" in openapi.documents, which has ${names}.`;
    throw new BootError([{ file: 'fwk.config', message, code: 'FWK603' }]);
  }
  const mistakes = await securityMistakes(routes, project, settings);
  if (mistakes.length > 0)
    throw new BootError(
      mistakes.map(({ file = '', message, code }) => ({ file: project.display(file), message, code })),
    );
  const { document, gaps } = await makeDocument(routes, project, settings);
  for (const { route, part, schema } of gaps)
    console.error(
      `FWK422 ${project.display(route.file)}: ${route.label} has a "${part}" schema that cannot be converted to JSON Schema. ${remedyFor(schema)}.`,
    );
  const text = `${toText(document, 2)}\n`;
  // The process may exit right after this, so the data must have been written to the pipe by then.
  await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
}
