import { readFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

interface Manifest {
  readonly name?: unknown;
  readonly imports?: unknown;
  readonly exports?: unknown;
}

/**
 * The sources behind the names of compiled files that package.json gives: `"#lib/*": "./dist/lib/*"` is `#lib/*` in `src/lib/`. The
 * compiler finds them by `rootDir` and `outDir` alone, before a build has made the files themselves.
 */
export function sourcePaths(root: string, rootDir: string, outDir: string): Record<string, string[]> {
  const { name, imports, exports } = manifestOf(root);
  const listed = Object.entries(Object(exports));
  // What is no list of names, '.' and './lib', is the target of the package itself.
  const exported = listed.every(([key]) => key.startsWith('.')) ? listed : [['.', exports] as const];
  const names = [
    ...Object.entries(Object(imports)),
    ...exported.map(([key, target]) => [`${name}${key.slice(1)}`, target] as const),
  ];
  const sourceOf = (target: string): string[] => {
    // Declarations are made of the same source as the code, by whose name TypeScript 5 finds it.
    const code = target.replace(/\.d\.([cm]?)ts$/, '.$1js');
    const inside = relative(outDir, resolve(root, code));
    return inside.startsWith('..') || isAbsolute(inside)
      ? []
      : [resolve(rootDir, inside).split(sep).join('/')];
  };
  const paths = names.map(([key, target]) => [key, targetsIn(target).flatMap(sourceOf)] as const);
  return Object.fromEntries(
    paths.filter(([, sources]) => sources.length > 0).map(([key, sources]) => [key, [...new Set(sources)]]),
  );
}

function manifestOf(root: string): Manifest {
  try {
    return Object(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8').replace(/^\uFEFF/, '')));
  } catch {
    // There is none, or it is broken: then there are no names.
    return {};
  }
}

/** The targets of all conditions. */
const targetsIn = (target: unknown): string[] =>
  typeof target === 'string' ? [target] : Object.values(Object(target)).flatMap(targetsIn);
