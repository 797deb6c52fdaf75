import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A schema library, as examples write it. */
export interface SchemaLibrary {
  /** The import that its schemas need. */
  readonly imports: string;
  /** A schema of an object whose `name` is a text that is not empty. */
  readonly named: string;
}

const LIBRARIES: ReadonlyMap<string, SchemaLibrary> = new Map([
  ['zod', { imports: "import { z } from 'zod';", named: 'z.object({ name: z.string().min(1) })' }],
  [
    'valibot',
    {
      imports: "import * as v from 'valibot';",
      named: 'v.object({ name: v.pipe(v.string(), v.minLength(1)) })',
    },
  ],
  ['arktype', { imports: "import { type } from 'arktype';", named: "type({ name: 'string > 0' })" }],
]);

/**
 * The library that the package.json of a project names. One that is merely found in `node_modules` may be there for another
 * package's sake, and go with it.
 */
export function schemaLibraryOf(root: string): SchemaLibrary | undefined {
  const named = dependenciesOf(join(root, 'package.json'));
  return [...LIBRARIES].find(([name]) => named.includes(name))?.[1];
}

/** Empty for a file that is missing or wrong: who writes it reports that. */
function dependenciesOf(manifest: string): readonly string[] {
  try {
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(manifest, 'utf8').replace(/^\uFEFF/, ''),
    );
    return [...Object.keys(dependencies ?? {}), ...Object.keys(devDependencies ?? {})];
  } catch {
    return [];
  }
}
