import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { corpus } from './corpus.js';
import { PluginLawError, testPlugin } from './kit.js';
import { loadSoundly, pulse } from './pulse.js';

const test = suite('broken plugins');

test('a correct plugin breaks no law', async () => {
  const { plugin, fixtures } = pulse();
  await testPlugin(plugin, fixtures);
});

test('a plugin that imports zod breaks no law', async () => {
  const { plugin, fixtures } = pulse({
    async load(project, file) {
      Reflect.set(globalThis, '__zod_globalRegistry', {});
      return loadSoundly(project, file);
    },
  });
  await testPlugin(plugin, fixtures);
  Reflect.deleteProperty(globalThis, '__zod_globalRegistry');
});

test('a problem in several files can name them in its message', async () => {
  const { plugin, fixtures } = pulse({
    async load(project, file) {
      const module = await project.load({ file });
      if (module && !module.default)
        project.report('pulse', `has no pulse in ${file}. Export a function.`, 'PULSE-1');
    },
  });
  await testPlugin(plugin, fixtures);
});

for (const [what, { law, finding, ...parts }] of Object.entries(corpus)) {
  test(`${law}: one that ${what}`, async () => {
    const { plugin, fixtures } = pulse(parts);
    const { fetch } = globalThis;
    const thrown = await testPlugin(plugin, fixtures).catch((cause: unknown) => cause);
    Reflect.deleteProperty(globalThis, 'pulse');
    delete process.env.PULSE;
    globalThis.fetch = fetch;
    if (!(thrown instanceof PluginLawError)) throw new Error(`no law is broken: ${JSON.stringify(thrown)}`);
    assert.equal(
      thrown.broken.map((broken) => broken.law),
      [law],
      thrown.message,
    );
    assert.ok(
      thrown.broken[0]?.findings.some((found) => finding.test(found)),
      thrown.message,
    );
    assert.match(thrown.message, /^Plugin "pulse" breaks a law:\n\n\w+: a plugin .+\n {2}- /);
  });
}

test.run();
