import { isObject, type Plugin } from '../../kernel/index.js';
import { LocalLocks, whileHeld } from '../../peers/index.js';
import { explained, testError } from '../test-error.js';
import type { PluginFixtures } from './fixtures.js';
import type { Subject } from './subject.js';

/** Checks one law. Resolves with a sentence for each violation; a rejection counts as a violation, too. */
type Check = (subject: Subject) => Promise<readonly string[]>;

/** A law that a plugin breaks. */
export interface BrokenLaw {
  /** `close`. */
  readonly law: string;
  /** The requirement, completing "a plugin …": `ends everything that it started when the app closes`. */
  readonly rule: string;
  /** One sentence for each violation. */
  readonly findings: readonly string[];
}

/** A plugin breaks laws. The message lists all of them, with the violations. */
export class PluginLawError extends Error {
  override readonly name = 'PluginLawError';
  readonly code = 'FWK908';

  constructor(
    readonly plugin: string,
    readonly broken: readonly BrokenLaw[],
  ) {
    const count = broken.length === 1 ? 'a law' : `${broken.length} laws`;
    const list = broken.map(
      ({ law, rule, findings }) =>
        `${law}: a plugin ${rule}\n${findings.map((finding) => `  - ${finding}`).join('\n')}`,
    );
    super(explained('FWK908', `Plugin "${plugin}" breaks ${count}:\n\n${list.join('\n\n')}\n`));
  }
}

export type { PluginFixtures, PluginTestApp } from './fixtures.js';

interface Law {
  readonly id: string;
  readonly rule: string;
  readonly load: () => Promise<Check>;
}

const law = (id: string, rule: string, load: Law['load']): Law => ({ id, rule, load });
const start = () => import('./laws/start.js');
const end = () => import('./laws/end.js');
const reload = () => import('./laws/reload.js');

const LAWS: readonly Law[] = [
  law('boot', 'serves a project that uses it correctly', async () => (await start()).checkBoot),
  law('discovery', 'claims the same files each time', async () => (await start()).checkDiscovery),
  law(
    'generation',
    'describes the same files each time, from paths alone, and writes none itself',
    async () => (await start()).checkGeneration,
  ),
  law(
    'disable',
    'leaves nothing behind when it is disabled, and works when it is enabled again',
    async () => (await end()).checkDisable,
  ),
  law('close', 'ends everything that it started when the app closes', async () => (await end()).checkClose),
  law('reload', 'does the same after a reload as before, once', async () => (await reload()).checkReload),
  law(
    'rollback',
    'rolls a broken version back without side effects, and the previous version keeps working',
    async () => (await reload()).checkRollback,
  ),
  law('errors', 'names the file of every mistake, in a rule', async () => (await start()).checkErrors),
];

/** Laws inspect the whole process, so only one is checked at a time. */
const locks = new LocalLocks();

/**
 * Check all laws of plugins: `await testPlugin(cron(), { files: { 'cron/tick.ts': '…' } })`, in any test runner. Rejects with a
 * PluginLawError that lists every broken law; if the fixtures do not boot, no other law is checked.
 */
export async function testPlugin(plugin: Plugin, fixtures: PluginFixtures): Promise<void> {
  checkArguments(plugin, fixtures);
  const broken: BrokenLaw[] = [];
  for (const law of LAWS) {
    const found = await tried(law, plugin, fixtures);
    if (found) broken.push(found);
    if (found && law.id === 'boot') break;
  }
  if (broken.length > 0) throw new PluginLawError(plugin.name, broken);
}

/** Throws a TypeError if the fixtures are not usable. The first law checks whether the plugin is valid. */
function checkArguments(plugin: unknown, fixtures: unknown): void {
  const wrong = !isObject(plugin)
    ? 'a plugin as its first argument'
    : isObject(fixtures) && isObject(fixtures.files)
      ? undefined
      : 'fixtures as its second argument: { files: { … } }';
  if (wrong !== undefined) throw testError('FWK901', `testPlugin() takes ${wrong}.`, TypeError);
}

async function tried(
  { id, rule, load }: Law,
  plugin: Plugin,
  fixtures: PluginFixtures,
): Promise<BrokenLaw | undefined> {
  const [check, { Subject, findingOf }] = await Promise.all([load(), import('./subject.js')]);
  const findings = await whileHeld('laws', locks.claim('laws', Number.POSITIVE_INFINITY), async () => {
    const subject = new Subject(plugin, fixtures);
    try {
      return [...new Set(await check(subject))];
    } catch (thrown) {
      return [findingOf(thrown)];
    } finally {
      await subject.dispose();
    }
  });
  return findings.length > 0 ? { law: id, rule, findings } : undefined;
}
