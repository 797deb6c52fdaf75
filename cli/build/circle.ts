import { relative, resolve, sep } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { ProjectPaths } from '../../kernel/internal.js';

/** An error of the compiler as it prints it to a terminal (`a.ts:1:2 - error TS…`) and elsewhere (`a.ts(1,2): error TS…`). */
const ERROR = /^(?<file>.+?)(?:\(\d+,\d+\):|:\d+:\d+ -) error TS(?<code>\d+): (?:'(?<name>[^']+)')?/;
/** What has no type because it leads to itself: a variable, a function with a name, one without. */
const CIRCULAR = { variable: '7022', named: '7023', unnamed: '7024' } as const;
const DIRECTORIES: readonly string[] = ['services', 'di'];

/** Collects from the compiler's lines whether services call each other in a circle, which its errors do not say. */
export class CircleOfServices {
  readonly #paths: ProjectPaths;
  /** The first file with an error about anything else, for where there is no such function. */
  #file: string | undefined;
  /** The first function with a name, and its file. */
  #named: string | undefined;

  constructor(paths: ProjectPaths) {
    this.#paths = paths;
  }

  /** Read a line that the compiler prints. */
  read(line: string): void {
    const { file, code, name } = ERROR.exec(stripVTControlCharacters(line))?.groups ?? {};
    if (file === undefined || !this.#isService(file)) return;
    if (code === CIRCULAR.named && name !== undefined) this.#named ??= `"${name}" in ${file}`;
    else if (code === CIRCULAR.variable || code === CIRCULAR.unnamed) this.#file ??= file;
  }

  /** What to do about it; undefined where there is no circle. */
  get advice(): string | undefined {
    const place = this.#named ?? (this.#file && `the factory in ${this.#file}`);
    return place && `Services that call each other in a circle need one return type: annotate ${place}.`;
  }

  #isService(file: string): boolean {
    const { root, source } = this.#paths;
    const [directory = ''] = relative(source, resolve(root, file)).split(sep);
    return DIRECTORIES.includes(directory);
  }
}
