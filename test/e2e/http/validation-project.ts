import { suite, type Test } from 'uvu';
import { linkLibraries } from '../../harness/libraries.js';
import type { Output } from '../../harness/output.js';
import { type Production, production } from '../../harness/production.js';
import type { Files } from '../../harness/project.js';
import { type Site, served } from '../../harness/served.js';

type Raw = Site['raw'];

/** A server of either kind, once it runs. */
export interface Server {
  readonly url: string;
  readonly output: Output;
}

/** `site` is only defined if the server accepts edits. */
export type Cases = (test: Test<Record<string, never>>, raw: Raw, server: () => Server, site?: Site) => void;

/** Runs the same cases against `fwk dev` in each layout, and against the sources in production. */
export function everywhere(given: Files, cases: Cases): void {
  // Lines for people wherever they are served.
  const files: Files = {
    'fwk.config.ts': `import { defineConfig } from 'fwkit';\nexport default defineConfig({ log: { format: 'text' } });\n`,
    ...given,
  };
  served(files, (test, site) => {
    linkLibraries(site.project);
    cases(
      test,
      (path, sent) => site.raw(path, sent),
      () => site.dev,
      site,
    );
  });

  const test = suite<Record<string, never>>('production', {});
  let running: Production | undefined;
  test.before(async () => {
    running = await production(files, linkLibraries);
  });
  test.after(async () => void (await running?.stop()));
  const server = (): Production => {
    if (running) return running;
    throw new Error('The project is not running.');
  };
  cases(test, (path, sent) => server().raw(path, sent), server);
  test.run();
}

export const json = (body: unknown, type = 'application/json') => ({
  method: 'POST',
  headers: { 'content-type': type },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** A module that imports the libraries, fwkit's `names`, and has one default export. */
export const schemas = (names: string, text: string): string => `import { ${names} } from 'fwkit';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
${text}
`;

/** A route module with a definition: `checked('post', '{ body: … }', '(req) => …')`. */
export const checked = (names: string, definition: string, handler: string): string =>
  schemas(names, `export default ${names.split(',', 1)[0]}(${definition}, ${handler});`);
