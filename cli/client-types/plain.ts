import { BootError } from '../../kernel/internal.js';

/** A type that contains itself, as the compiler prints it where it would have to print it once more. */
const ELIDED = '/*elided*/ any';

/** A type of a file of the project: the compiler repeats its name where it does not find it. */
const OWN_FILE = /\bimport\("(?!fwkit\/client")/;

interface Plain {
  /** `interface Paths { … }` */
  readonly text: string;
  /** The places that are unknown now: `GET /api/tree: "ok.default.children"`. */
  readonly unknown: readonly string[];
}

/** One interface of all that is in the declaration of constants. Throws a BootError for routes whose type is not known. */
export function plainPaths(declaration: string): Plain {
  const members = [...declaration.matchAll(/^export declare const \w+: \{\r?\n(.*?)^\}/gms)].map(
    ([, text]) => text,
  );
  const body = `{\n${members.join('')}}`;
  const unknown: string[] = [];
  const broken: string[] = [];
  const place: string[] = [];
  for (const line of body.split(/\r?\n/)) {
    // Each level of the declaration is indented by four spaces more.
    const [, indent = '', name] =
      /^( *)(?:readonly )?("(?:[^"\\]|\\.)*"|\[.*?\]|[^\s?:]+)\??: /.exec(line) ?? [];
    if (name === undefined) continue;
    place.length = indent.length / 4 - 1;
    place.push(name.startsWith('"') ? String(JSON.parse(name)) : name);
    const [path, method = '', ...rest] = place;
    const route = `${method.toUpperCase()} ${path}`;
    if (line.includes(ELIDED)) unknown.push(`${route}: "${rest.join('.')}"`);
    const isKnown = rest.length > 0 ? !OWN_FILE.test(line) : place.length !== 2 || line.endsWith('{');
    if (!isKnown) broken.push(route);
  }
  if (broken.length > 0)
    throw new BootError(
      [...new Set(broken)].map((route) => ({
        message: `The type of ${route} is not known while the project does not compile. Fix what fwk build reports.`,
        code: 'FWK612' as const,
      })),
    );
  return { text: `export interface Paths ${body.replaceAll(ELIDED, 'unknown')}\n`, unknown };
}
