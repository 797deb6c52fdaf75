import { createHook } from 'node:async_hooks';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Resources } from './resources.js';

/** Node's names for work that a call starts. */
const STARTED = /^(?:FSREQ|TCP|PIPE|UDP|PROCESS|GETADDRINFO|QUERY|WORKER)/;

/** Runs `work` and lists the calls of the file system and the network, and the timers, in its synchronous part. */
export function ioIn(work: () => void): readonly string[] {
  const found = new Set<string>();
  const restore = watchFiles((name) => found.add(`fs.${name}()`));
  const hook = createHook({
    init: (_id, type) => {
      if (STARTED.test(type)) found.add(type.startsWith('FSREQ') ? 'the file system' : 'the network');
    },
  }).enable();
  const resources = new Resources();
  try {
    resources.run(work);
    for (const what of [...resources.list().values()].flat()) found.add(what);
  } finally {
    resources.stop();
    hook.disable();
    restore();
  }
  return [...found];
}

/** Calls `called` with the name of each synchronous function of `node:fs` that is called, until the returned function is called. */
function watchFiles(called: (name: string) => void): () => void {
  const originals = Object.entries(fs).filter(
    ([name, value]) => name.endsWith('Sync') && typeof value === 'function',
  );
  // These functions call one another.
  let isInside = false;
  for (const [name, original] of originals) {
    const watched = (...args: unknown[]): unknown => {
      const isNested = isInside;
      if (!isNested) called(name);
      isInside = true;
      try {
        return Reflect.apply(original as () => unknown, fs, args);
      } finally {
        isInside = isNested;
      }
    };
    Reflect.set(fs, name, Object.assign(watched, original));
  }
  syncBuiltinESMExports();
  return () => {
    for (const [name, original] of originals) Reflect.set(fs, name, original);
    syncBuiltinESMExports();
  };
}
