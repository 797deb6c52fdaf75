import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { ProjectFolder } from './folder.js';
import type { Subject } from './subject.js';

/** Where modules that are evaluated leave their names. */
const KEY = 'fwkit.testing.evaluated';
/** Imported last of all, so that imports that nobody waits for show. */
const LAST = 'last.mjs';

/** A project of the fixtures in which every claimed module gives an alarm when it is evaluated, by whoever. */
export function alarmed(subject: Subject): { folder: ProjectFolder; imported(): Promise<readonly string[]> } {
  const folder = subject.folder();
  const evaluated = new Set<string>();
  const texts = subject
    .open({ folder })
    .entries()
    .map(({ file }) => [
      file,
      `globalThis[Symbol.for('${KEY}')]?.add(${JSON.stringify(file)});\nexport {};\n`,
    ]);
  folder.write(Object.fromEntries(texts));
  Reflect.set(globalThis, Symbol.for(KEY), evaluated);
  return {
    folder,
    async imported() {
      folder.write({ [LAST]: '' });
      await import(pathToFileURL(folder.path(LAST)).href);
      await setImmediate();
      Reflect.deleteProperty(globalThis, Symbol.for(KEY));
      return [...evaluated].sort();
    },
  };
}
