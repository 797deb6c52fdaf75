import kleur from 'kleur';
import type { ReloadReporter } from '../../app/reload/change-report.js';
import { BootError } from '../../kernel/index.js';
import { listProblems, onStderr } from '../terminal/problems.js';

const MAX_NAMED_FILES = 3;

export const terminalReporter = (root: string): ReloadReporter => ({
  reloaded(files, modules, duration, routes) {
    const count = modules > files.length ? `(${modules} modules) ` : '';
    console.log(
      `${kleur.green('reloaded')} ${listNames(files)} ${kleur.dim(`${count}in ${duration.toFixed(0)} ms`)}`,
    );
    if (!routes) return;
    for (const label of routes.removed) console.log(`  ${kleur.red(`- ${label}`)}`);
    for (const label of routes.added) console.log(`  ${kleur.green(`+ ${label}`)}`);
  },
  unchanged(files) {
    console.log(kleur.dim(`${listNames(files)}: no code changed`));
  },
  delayed(files) {
    console.error(stillServing(files));
  },
  broken(error, files, isServing) {
    console.error(error instanceof BootError ? listProblems(error, root) : error);
    console.error(isServing ? stillServing(files) : notServed());
  },
  addNotes(notes) {
    notes.then(
      (lines) => {
        for (const line of lines) console.log(line);
      },
      (thrown: unknown) => console.error(thrown),
    );
  },
});

const listNames = (names: readonly string[]): string =>
  names.length <= MAX_NAMED_FILES
    ? names.join(', ')
    : `${names.slice(0, MAX_NAMED_FILES).join(', ')} and ${names.length - MAX_NAMED_FILES} more`;

const stillServing = (names: readonly string[]): string =>
  onStderr(() => kleur.yellow(`${listNames(names)} changed; still serving the last good version`));

const notServed = (): string =>
  onStderr(() => kleur.yellow('The project is not served until this is fixed; fwk dev waits for edits'));
