import { logSafely, type Serving } from '../../kernel/index.js';

interface Told {
  /** What the connection was made of, as text, by name. */
  readonly first: ReadonlyMap<string, string>;
  /** Of what it was said last that it differs. */
  last: string;
}

/**
 * Say, once for each change, that a connection which outlives versions was made of something else than `fwk.config` has by now: of
 * functions, which are compared by their text, and of what JSON has. `plugin` is whose they are: `redis`. Where no versions follow, nothing is
 * compared.
 */
export async function tellChanged(
  { runtime, project, onStart }: Pick<Serving, 'runtime' | 'project' | 'onStart'>,
  plugin: string,
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (!runtime.reloads) return;
  const texts = new Map(Object.entries(given).map(([name, value]) => [name, textOf(value)]));
  const told = await runtime.getOrCreate<Told>(`${plugin}.given`, () => ({ first: texts, last: '' }));
  onStart(() => {
    const changed = [...texts].filter(([name, text]) => told.first.get(name) !== text);
    const last = JSON.stringify(changed);
    if (changed.length > 0 && last !== told.last) {
      const names = changed.map(([name]) => name).join(', ');
      const what = `fwk.config has another ${plugin}({ ${names} }) than the app has connected by`;
      logSafely(project.logger, 'warn', {
        code: 'FWK214',
        text: `${what}: start it again to have that used.`,
      });
    }
    told.last = last;
  });
}

const textOf = (value: unknown): string =>
  typeof value === 'function' ? String(value) : (JSON.stringify(value) ?? '');
