import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, project } from '../harness/project.js';
import { filesIn, readSections } from './project-text.js';
import { prove } from './proving.js';

// Breaks of guards, and harmless edits, in the applications of fixtures/clinic.txt and fixtures/newsroom.txt. A line is
// `title | file | from → to | from → to`. An empty edit deletes the file, and an edit without `from` creates it.

/** An application after the edit in a line. */
function edited(before: Files, line: string): Files {
  const [, file = '', ...edits] = line.split(/ \|(?: |$)/).map((part) => part.replaceAll('\\|', '|'));
  const files: Record<string, string> = { ...before };
  for (const edit of edits) {
    const [from = '', to = ''] = edit.split(/ ?→ ?/);
    const text = files[file];
    if (edit === '') delete files[file];
    else if (edit.startsWith('(rename) ')) {
      files[edit.slice('(rename) '.length)] = text ?? '';
      delete files[file];
    } else if (from === '') files[file] = to;
    else {
      const start = from.replaceAll('\\n', '\n');
      assert.ok(text?.includes(start), `${file} has no ${start}`);
      files[file] = text?.replace(start, () => to.replaceAll('\\n', '\n')) ?? '';
    }
  }
  return files;
}

async function findingsOf(files: Files, isBrief = false): Promise<readonly string[]> {
  const made = project(files);
  const { findings } = await prove(made, { isBrief });
  rmSync(made.root, { recursive: true, force: true });
  return findings.map(({ kind, route = '', problem }) => `${kind} ${route} ${problem}`);
}

for (const name of ['clinic', 'newsroom']) {
  const test = suite(`guards of the ${name}`);
  const sections = readSections(name);
  const files = filesIn(sections.get('sources') ?? '');
  const lines = (title: string): readonly string[] =>
    (sections.get(title) ?? '').split('\n').filter((line) => line.includes(' | ') || line.endsWith(' |'));

  test(`finds nothing in the ${name}, nor after all harmless edits`, async () => {
    assert.equal(await findingsOf(files), []);
    assert.equal(await findingsOf(lines('harmless').reduce(edited, files)), []);
  });
  for (const line of lines('breaks'))
    test(`finds: ${line.split(' |')[0]}`, async () => {
      assert.is.not((await findingsOf(edited(files, line), true)).length, 0);
    });
  test.run();
}
