// The core as a module: runs its script, with compiled code that a build has saved next to the entry file of an app. bundle/core.js
// fills in the name of the script, its ID, the other chunks and the exports.
const { closeSync, openSync, readFileSync, readSync, realpathSync, statSync } =
  process.getBuiltinModule('node:fs');
const { createRequire, getCompileCacheDir } = process.getBuiltinModule('node:module');
const { dirname, join } = process.getBuiltinModule('node:path');
const { fileURLToPath } = process.getBuiltinModule('node:url');
const { Script } = process.getBuiltinModule('node:vm');

const file = fileURLToPath(new URL(SCRIPT, import.meta.url));

/** V8 checks its version, its flags and the length of the text, but crashes on code of another build or libc, whose size and age differ. */
function key() {
  const { size, mtimeMs } = statSync(process.execPath);
  return `${ID} ${process.version} ${process.platform} ${process.arch} ${size} ${Math.floor(mtimeMs / 1000)}\n`;
}

/** The code is stored twice, because V8 crashes on damaged code, and comparing is faster than any checksum. */
function readCode() {
  let file;
  try {
    file = openSync(join(dirname(realpathSync(process.argv[1])), 'fwk.code-cache'));
    const own = Buffer.from(key());
    const begin = Buffer.alloc(own.length);
    readSync(file, begin);
    // Code of another Node would be a megabyte read for nothing.
    if (!begin.equals(own)) return undefined;
    const bytes = readFileSync(file);
    const code = bytes.subarray(0, bytes.length / 2);
    return code.equals(bytes.subarray(bytes.length / 2)) ? code : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

let script;

/** Like Node runs a CommonJS module, in the realm of its own errors. */
function runScript(cachedData) {
  const text = `(function (module) {${readFileSync(file, 'latin1')}\n})`;
  script = new Script(text, { filename: file, cachedData });
  const module = {};
  script.runInThisContext()(module);
  return module.exports;
}

function codeSoFar() {
  const made = script.createCachedData();
  return Buffer.concat([Buffer.from(key()), made, made]);
}

const loaded = new Map();

/** Returns imported chunks without Node's loader, which takes 0.1 ms: each save in development needs several chunks again. */
function load(specifier) {
  const chunk = chunks[specifier];
  if (!chunk) return import(specifier);
  const known = loaded.get(specifier);
  if (known) return known;
  const loading = chunk();
  loaded.set(specifier, loading);
  loading.catch(() => loaded.delete(specifier));
  return loading;
}

function runCore() {
  const code = readCode();
  // Node's own compile cache is the alternative. It supports modules, but not scripts.
  const isModule = code === undefined && getCompileCacheDir?.() !== undefined;
  const make = isModule ? createRequire(import.meta.url)(file) : runScript(code);
  return make({ url: import.meta.url, codeSoFar }, load);
}

const exported = runCore();

export { exported };
