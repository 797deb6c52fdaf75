import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Generation } from '../../kernel/index.js';

/** What of a package.json says which packages there are. */
export interface Dependencies {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * What a package.json lacks of what a project needs: in production fwkit alone, and for development what runs sources and
 * compiles them, and for TypeScript the types of the Node that runs this.
 */
export function missingDependencies(
  { dependencies, devDependencies }: Dependencies,
  language: Generation['project']['language'],
): Dependencies {
  const [nodeMajor] = process.versions.node.split('.');
  const range = `^${ownVersion()}`;
  const lacking = (names: Readonly<Record<string, string>>) => {
    const missing = Object.entries(names).filter(
      ([name]) => dependencies?.[name] === undefined && devDependencies?.[name] === undefined,
    );
    return missing.length > 0 ? Object.fromEntries(missing) : undefined;
  };
  const forProduction = lacking({ fwkit: range });
  const forDevelopment = lacking({
    '@fwkit/build': range,
    ...(language === 'ts' ? { '@types/node': `^${nodeMajor}.0.0` } : {}),
  });
  return {
    ...(forProduction && { dependencies: forProduction }),
    ...(forDevelopment && { devDependencies: forDevelopment }),
  };
}

function ownVersion(): string {
  const file = createRequire(import.meta.url).resolve('fwkit/package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
