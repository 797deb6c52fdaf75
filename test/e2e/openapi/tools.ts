import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { atExit } from '../../harness/cleanup.js';
import { ended, start } from '../../harness/fwk.js';
import { repo } from '../../harness/installed.js';
import { longTools } from '../../harness/packages.js';

// Other tools that read the document: a validator, Redocly's rules, client generators.

const JUDGE = `
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';

const absoluteRef = process.argv[2];
const source = readFileSync(absoluteRef, 'utf8');
const { valid, errors } = await new Validator().validate(JSON.parse(source));
const config = await createConfig({ extends: ['recommended'] });
const found = await lintFromString({ source, absoluteRef, config });
const problems = found.map(({ ruleId, location: [place] }) => ruleId + ' ' + (place?.pointer ?? ''));
console.log(JSON.stringify({ valid, errors, problems }));
`;

const CONFIG = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    skipLibCheck: true,
    outDir: 'out',
    types: [],
  },
  include: ['*.ts', 'sdk'],
};

/** A folder with a document and the tools. */
export class Judged {
  readonly #folder: string;

  constructor(document: string) {
    this.#folder = mkdtempSync(path.join(longTools(), 'judged-'));
    atExit(() => rmSync(this.#folder, { recursive: true, force: true }));
    this.#write('package.json', '{ "private": true, "type": "module" }');
    this.#write('document.json', document);
  }

  /** The findings of the validator and of Redocly's recommended rules. */
  async verdict(): Promise<unknown> {
    this.#write('judge.js', JUDGE);
    return JSON.parse(await this.#run(process.execPath, 'judge.js', 'document.json'));
  }

  /**
   * Generates both clients, `types.ts` and `sdk/`, compiles a program that uses them, runs it with `args` and returns
   * its output, parsed as JSON.
   */
  async clients(program: string, ...args: string[]): Promise<unknown> {
    const bin = (name: string) => path.join(longTools(), 'node_modules/.bin', name);
    this.#write('program.ts', program);
    this.#write('tsconfig.json', JSON.stringify(CONFIG));
    await Promise.all([
      this.#run(bin('openapi-typescript'), 'document.json', '-o', 'types.ts'),
      this.#run(
        bin('openapi-ts'),
        '-i',
        'document.json',
        '-o',
        'sdk',
        '-c',
        '@hey-api/client-fetch',
        '--silent',
      ),
    ]);
    await this.#run(bin('tsc'), '-p', '.');
    await this.#run(
      path.join(repo, 'node_modules/.bin/rolldown'),
      'out/program.js',
      '--file',
      'program.js',
      '--platform',
      'node',
    );
    return JSON.parse(await this.#run(process.execPath, 'program.js', ...args));
  }

  #write(name: string, text: string): void {
    writeFileSync(path.join(this.#folder, name), text);
  }

  async #run(program: string, ...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await ended(start(program, args, this.#folder), program);
    if (status !== 0) throw new Error(`${path.basename(program)} ended with ${status}:\n${stdout}${stderr}`);
    return stdout;
  }
}
