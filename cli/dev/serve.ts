import { setFlagsFromString } from 'node:v8';
import { isCodeLost } from '../../app/code-cache.js';
import { describeWithCode, type ProjectPaths, type Resolved, type Runtime } from '../../kernel/internal.js';
import { AroundStage, around, serverOf } from '../../plugins/http/index.js';
import { modeOfSources } from '../project.js';
import { IdleCollector } from './idle-collector.js';
import { Reloader } from './reloader.js';
import type { Told } from './told.js';
import { watch } from './watch/index.js';

/** Where the manual is: `BASE` of its site, which is loaded when it is asked for. */
const MANUAL = '/_fwk/manual';

/**
 * Edits make garbage in bursts, for which V8 would reserve more and more room though it is collected between them, and each
 * collection would have it forget the code of what only edits run: to compile that again takes a fifth of the next one.
 */
const FLAGS = ['--semi-space-growth-factor=1', '--heap-growing-percent=100', '--no-flush-bytecode'];

/** A project that is served and reloaded. */
export interface Live {
  /** The version that serves. */
  current(): Resolved | undefined;
  close(): Promise<void>;
}

/**
 * Serve the sources that `locate` finds over what `runtime` names, and reload them on change, until it is closed. Resolves when
 * they are served.
 */
export async function serveLive(
  locate: () => ProjectPaths,
  runtime: Runtime,
  { activated = () => {}, answering = () => {}, served = () => {} }: Partial<Omit<Told, 'imported'>> = {},
): Promise<Live> {
  let collector: IdleCollector | undefined;
  const live = new Reloader(locate, runtime, {
    imported(files) {
      watcher.add(files);
      collector?.begin();
    },
    activated,
    answering,
    served,
  });
  await answerManual(runtime, () => locate().root);
  // Watched from before the first import: what is saved while the project starts counts.
  const watcher = await watch(
    locate(),
    modeOfSources(),
    {
      pending(file) {
        collector?.postpone();
        live.pending(file);
      },
      changes(files) {
        live.change(files);
        if (files.size === 0) collector?.begin();
      },
      failed: (problem) => console.error(describeWithCode(problem)),
    },
    (file) => live.uses(file),
  );
  await live.start();
  collector = new IdleCollector();
  collector.begin();
  if (isCodeLost) (await import('../keep-code.js')).keepCode();
  // Not before: to start with little room takes a fifth longer.
  for (const flag of FLAGS) setFlagsFromString(flag);
  return {
    current: () => live.current,
    async close() {
      collector?.postpone();
      await watcher.close();
      await runtime.close(() => live.close());
    },
  };
}

/** Answer the manual around all versions, also while the project cannot be served. */
async function answerManual(runtime: Runtime, rootOf: () => string): Promise<void> {
  const access = await (await serverOf(runtime)).devAccess();
  const listener = async () => (await import('../manual/site/listener.js')).manualListener(rootOf());
  around(runtime, { name: 'manual', stage: AroundStage.pages }, (raw, out, next) => {
    const [path = ''] = raw.url?.split('?', 1) ?? [];
    if (path !== MANUAL && !path.startsWith(`${MANUAL}/`)) return next(raw, out);
    access.knownHost(raw, out, () => {
      listener().then(
        (answer) => answer(raw, out),
        (cause) => {
          console.error(cause);
          if (!out.headersSent) out.writeHead(500);
          out.end();
        },
      );
    });
  });
}
