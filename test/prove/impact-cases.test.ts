import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sampled } from '../harness/sample.js';
import { endpointsOf, repository, write } from './impact-repository.js';
import { parseProject, readSections } from './project-text.js';

// The edits in fixtures/impact.txt: `fwk impact` must list each endpoint that is marked, and no other. It imports the projects into this
// process, and some of them change a global or a prototype of the language.

const test = suite('impact of small edits');

for (const [name, text] of sampled(readSections('impact'), 3))
  test(name, async () => {
    const { before, after, must, may } = parseProject(text);
    const repo = repository(before);
    write(repo, { ...Object.fromEntries(Object.keys(before).map((file) => [file, undefined])), ...after });
    const listed = endpointsOf(await repo.impact('--since', 'HEAD'));
    const isIn = (names: readonly string[], { label, file }: (typeof listed)[number]): boolean =>
      names.some((one) => one === label || repo.label(one) === file);
    const missed = must.filter((one) => !listed.some((endpoint) => isIn([one], endpoint)));
    const extra = listed.filter((one) => !isIn([...must, ...may], one)).map(({ label }) => label);
    assert.equal({ missed, extra }, { missed: [], extra: [] });
  });

test.run();
