// Runs the script that is the core, with the code that V8 kept of it where a build has put that beside an app's entry file.
const { readFileSync, realpathSync } = process.getBuiltinModule('node:fs');
const { createRequire, getCompileCacheDir } = process.getBuiltinModule('node:module');
const { dirname, join } = process.getBuiltinModule('node:path');
const { Script } = process.getBuiltinModule('node:vm');

const file = join(import.meta.dirname, 'SCRIPT');

/** V8 itself refuses code of another version or other flags. That the text is another one it would not see. */
const KEY = `${'ID'} ${process.version} ${process.arch}\n`;

function keptCode() {
  try {
    const bytes = readFileSync(join(dirname(realpathSync(process.argv[1])), 'fwk.code-cache'));
    const middle = (bytes.length + KEY.length) / 2;
    const code = bytes.subarray(KEY.length, middle);
    const isSound = bytes.latin1Slice(0, KEY.length) === KEY && code.equals(bytes.subarray(middle));
    return isSound ? code : undefined;
  } catch {
    return undefined;
  }
}

let script;

function runScript(cachedData) {
  script = new Script(readFileSync(file, 'latin1'), { filename: file, cachedData });
  return script.runInThisContext();
}

/** What a build keeps. It is there twice: V8 crashes on torn code, and to compare takes less than any checksum. */
const code = () => {
  const kept = script.createCachedData();
  return Buffer.concat([Buffer.from(KEY), kept, kept]);
};

const kept = keptCode();
// Node's own compile cache knows modules, and no scripts.
const isCached = kept === undefined && getCompileCacheDir?.() !== undefined;
const make = isCached ? createRequire(import.meta.url)(file) : runScript(kept);
const exported = make({ url: import.meta.url, code }, (specifier) => import(specifier));

export { exported };
