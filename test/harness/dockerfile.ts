import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { dockerIgnores } from './dockerignore.js';

// Follows a Dockerfile without Docker, as far as those of `fwk build --docker` go: each stage is a folder.

export interface Stage {
  /** Where /app of the stage is. */
  readonly folder: string;
  /** Where the app is run: below that in a workspace. */
  directory: string;
  readonly env: Record<string, string>;
  user: string | undefined;
  /** The arguments of CMD and HEALTHCHECK in exec form. */
  command: readonly string[];
  health: readonly string[];
}

/** Runs a shell command in a folder, and rejects where it fails. */
export type Shell = (
  command: string,
  folder: string,
  env: Readonly<Record<string, string>>,
) => Promise<unknown>;

/**
 * The last stage of the Dockerfile in `context`, or in a folder of it; the .dockerignore of that has its name before it. The stages'
 * folders are made beside the context.
 */
export async function followed(context: string, shell: Shell, folder?: string): Promise<Stage> {
  const file = path.join(context, folder ?? '', 'Dockerfile');
  const text = readFileSync(file, 'utf8')
    .replace(/\\\n/g, '')
    .replace(/^#.*\n/gm, '');
  const ignored = readFileSync(
    folder === undefined ? path.join(context, '.dockerignore') : `${file}.dockerignore`,
    'utf8',
  );
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const [, word = '', rest = ''] of text.matchAll(/^([A-Z]+) +(.*)$/gm)) {
    if (word === 'FROM') {
      const [image = '', , name = 'last'] = rest.split(' ');
      stage = begun(path.join(path.dirname(context), `stage-${name}`), stages.get(image));
      stages.set(name, stage);
    } else if (!stage) throw new Error(`${word} stands before FROM.`);
    else if (word === 'COPY') copy(rest.split(' '), stage, context, ignored, stages);
    else if (word === 'RUN') await shell(rest, stage.folder, stage.env);
    else if (word === 'ENV') Object.assign(stage.env, parseEnv(rest));
    else if (word === 'USER') stage.user = rest;
    else if (word === 'CMD') stage.command = JSON.parse(rest);
    else if (word === 'HEALTHCHECK') stage.health = JSON.parse(rest.replace(/^.* CMD /, ''));
    else if (word === 'WORKDIR') stage.directory = path.join(stage.folder, rest.replace(/^\/app\b/, ''));
    else if (word !== 'EXPOSE') throw new Error(`${word} ${rest} is not followed.`);
  }
  if (!stage) throw new Error('There is no stage.');
  return stage;
}

function begun(folder: string, base: Stage | undefined): Stage {
  mkdirSync(folder);
  if (base) cpSync(base.folder, folder, { recursive: true, verbatimSymlinks: true });
  return { folder, directory: folder, env: { ...base?.env }, user: base?.user, command: [], health: [] };
}

function copy(
  words: readonly string[],
  { folder }: Stage,
  context: string,
  ignored: string,
  stages: ReadonlyMap<string, Stage>,
): void {
  const [, name] = /^--from=(.*)/.exec(words[0] ?? '') ?? [];
  const from = name === undefined ? context : stages.get(name)?.folder;
  if (from === undefined) throw new Error(`There is no stage ${name}.`);
  const isIgnored = dockerIgnores(ignored);
  const [to = '', ...sources] = words.slice(name === undefined ? 0 : 1).reverse();
  for (const source of sources.reverse()) {
    const target = path.join(
      folder,
      to,
      to.endsWith('/') && path.extname(source) ? path.basename(source) : '',
    );
    cpSync(path.join(from, source.replace(/^\/app\b/, '')), target, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => name !== undefined || !isIgnored(path.relative(context, file)),
    });
  }
}
