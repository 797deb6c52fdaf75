import { moduleType, type TypeContribution } from '../../contributions/index.js';
import type { Contributor, Project } from '../../kernel/index.js';

/** The problem of a file whose default export is not a provider. It completes "the file …". */
export const NO_PROVIDER = 'is not a provider. Export default service(…) or di(…).';

/** One property per file and per value of a plugin, for the `ctx` of handlers and of singletons. */
export function ctxTypes(
  project: Project,
  plugins: ReadonlyMap<string, Contributor>,
): TypeContribution | undefined {
  const files = [...project.files('service'), ...project.files('di')];
  const types = new Map(
    files.map((entry) => [ctxKeyOf(entry.file), `${moduleType(project, entry)}['default']`]),
  );
  const provided = [...plugins.values()].flatMap(({ provides }) => Object.entries(provides?.(project) ?? {}));
  const own = new Map<string, string>();
  for (const [key, value] of provided)
    if (typeof value === 'string') own.set(key, value);
    // As a file in `di/` with this lifetime.
    else if (value && !types.has(key))
      types.set(key, `import('${PACKAGE}').Provider<${value.type}, '${value.lifetime}'>`);
  // A project's own logger replaces fwk's logger, which every ctx has.
  const logger = types.get('logger');
  types.delete('logger');
  const keys = [...new Set([...types.keys(), ...own.keys()])].sort();
  if (keys.length === 0 && logger === undefined) return undefined;
  const members = (fromFile: (name: string, type: string, key: string) => string) =>
    keys
      .map((key) => {
        const type = types.get(key);
        return type === undefined
          ? `    readonly ${property(key)}: ${own.get(key)};\n`
          : `    ${fromFile(property(key), type, key)}\n`;
      })
      .join('');
  // The compiler decides by type who may assign, so each property has a setter; most accept nothing.
  const runtime = members(
    (name, type) => `get ${name}(): Provided<${type}>; set ${name}(value: Assigned<${type}>);`,
  );
  const singletons = members(
    (name, type, key) => `readonly ${name}: ProvidedToSingleton<${type}, ${JSON.stringify(key)}>;`,
  );
  const ownLogger =
    logger === undefined
      ? ''
      : `  interface ProjectLoggers {\n    readonly logger: Provided<${logger}>;\n  }\n`;
  return {
    imports: types.size > 0 || logger !== undefined ? [TYPES_OF_FILES] : [],
    declarations: `${ownLogger}  interface RuntimeCtx {\n${runtime}  }\n  interface SingletonCtx {\n${singletons}  }\n`,
    exports: () => files.map(({ file }) => ({ file, accepts: PROVIDER, wrong: NO_PROVIDER })),
  };
}

const PACKAGE = 'fwkit';

const PROVIDER = `import('${PACKAGE}').Provider`;

const TYPES_OF_FILES = "import type { Assigned, Provided, ProvidedToSingleton } from 'fwkit';";

const property = (key: string): string =>
  /^[\p{L}$_][\p{L}\p{N}$_]*$/u.test(key) ? key : JSON.stringify(key);

/**
 * The property of `ctx` that a file provides, from its path below `services/` or `di/`: `user-store.ts` is
 * `userStore`, `billing/invoices.ts` is `billingInvoices`, and `billing/index.ts` is `billing`.
 */
export function ctxKeyOf(file: string): string {
  const key = keys.get(file) ?? newKey(file);
  keys.set(file, key);
  return key;
}

/** Every reload needs the key of every file. */
const keys = new Map<string, string>();

function newKey(file: string): string {
  const path = file.slice(file.indexOf('/') + 1).replace(/(\/index)?\.m?[jt]s$/, '');
  const [first = '', ...rest] = path.split(/[^\p{L}\p{N}$]+/u).filter((word) => word !== '');
  return first.charAt(0).toLowerCase() + first.slice(1) + rest.map(capitalise).join('');
}

const capitalise = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
