import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import picomatch from 'picomatch';

// Runs a Dockerfile without Docker, as far as the ones of `fwk build --docker` need it: each stage is a folder.

export interface Stage {
  /** The folder that represents /app. */
  readonly folder: string;
  readonly env: Record<string, string>;
  user: string | undefined;
  /** The arguments of CMD and HEALTHCHECK in exec form. */
  command: readonly string[];
  health: readonly string[];
}

/** Runs a shell command in a folder; rejects if it fails. */
export type Shell = (
  command: string,
  folder: string,
  env: Readonly<Record<string, string>>,
) => Promise<unknown>;

/** Whether a .dockerignore leaves out a path: the last line that matches the path, or a directory around it, decides. */
export function dockerIgnores(text: string): (file: string) => boolean {
  const rules = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return (file) => {
    const names = file.split('/');
    const paths = names.map((_, index) => names.slice(0, index + 1).join('/'));
    const last = rules.findLast((rule) => {
      const matches = picomatch(rule.replace(/^!/, ''), { dot: true });
      return paths.some((one) => matches(one));
    });
    return last !== undefined && !last.startsWith('!');
  };
}

/** Runs the Dockerfile in `context` and returns its last stage. The stages' folders are created beside it. */
export async function followed(context: string, shell: Shell): Promise<Stage> {
  const isIgnored = dockerIgnores(readFileSync(path.join(context, '.dockerignore'), 'utf8'));
  const text = readFileSync(path.join(context, 'Dockerfile'), 'utf8')
    .replace(/\\\n/g, '')
    .replace(/^#.*\n/gm, '');
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const [, word = '', rest = ''] of text.matchAll(/^([A-Z]+) +(.*)$/gm)) {
    if (word === 'FROM') {
      const [image = '', , name = 'last'] = rest.split(' ');
      stage = begun(path.join(path.dirname(context), `stage-${name}`), stages.get(image));
      stages.set(name, stage);
    } else if (!stage) throw new Error(`${word} stands before FROM.`);
    else if (word === 'COPY') copy(rest.split(' '), stage.folder);
    else if (word === 'RUN') await shell(rest, stage.folder, stage.env);
    else if (word === 'ENV') Object.assign(stage.env, parseEnv(rest));
    else if (word === 'USER') stage.user = rest;
    else if (word === 'CMD') stage.command = JSON.parse(rest);
    else if (word === 'HEALTHCHECK') stage.health = JSON.parse(rest.replace(/^.* CMD /, ''));
    else if (word !== 'EXPOSE' && word !== 'WORKDIR') throw new Error(`${word} ${rest} is not supported.`);
  }
  if (!stage) throw new Error('There is no stage.');
  return stage;

  function copy(words: readonly string[], folder: string): void {
    const [, name] = /^--from=(.*)/.exec(words[0] ?? '') ?? [];
    const from = name === undefined ? context : stages.get(name)?.folder;
    if (from === undefined) throw new Error(`There is no stage ${name}.`);
    const sources = words.slice(name === undefined ? 0 : 1, -1);
    for (const source of sources) {
      // The contents of a directory are copied; a file keeps its name.
      const to = path.join(folder, words.at(-1) ?? '', path.extname(source) ? path.basename(source) : '');
      cpSync(path.join(from, source.replace(/^\/app\b/, '')), to, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (file) => name !== undefined || !isIgnored(path.relative(context, file)),
      });
    }
  }
}

function begun(folder: string, base: Stage | undefined): Stage {
  mkdirSync(folder);
  if (base) cpSync(base.folder, folder, { recursive: true, verbatimSymlinks: true });
  return { folder, env: { ...base?.env }, user: base?.user, command: [], health: [] };
}
