import { inspect } from 'node:util';
import kleur from 'kleur';
import type { LoggerMaker } from '../../app/loggers.js';
import { explain, type Paint } from '../../loader/index.js';
import {
  escapeControls,
  type IsSecret,
  ownLogger,
  textLine,
  type WriteLine,
} from '../../plugins/log/index.js';
import { redactSecretValues } from '../../scope/index.js';
import { onStderr } from './problems.js';

export const PAINT: Paint = {
  bad: (text) => kleur.red().bold(text),
  strong: (text) => text,
  dim: (text) => kleur.dim(text),
};

/** The logger for development, which shows the source around errors and the project's part of the stack. `isApart`: stderr only. */
export const terminalLogger =
  (root: string, isApart = false): LoggerMaker =>
  (settings, mode) =>
    ownLogger(settings, mode, (isSecret) => terminalLines(root, isApart, isSecret));

const terminalLines =
  (root: string, isApart: boolean, isSecret: IsSecret): WriteLine =>
  (level, call) => {
    const { message, thrown, rest } = textLine(call, call.fields, isSecret);
    const draw = (error: unknown): string =>
      error instanceof Error
        ? `\n${onStderr(() => explain(error, root).describe(PAINT))}\n`
        : ` ${escapeControls(typeof error === 'string' ? error : inspect(error))}`;
    const drawn = thrown.map((error) => `:${draw(error)}`);
    const parts = [escapeControls(message) + drawn.join(''), rest];
    const line = redactSecretValues(parts.filter((part) => part !== undefined && part !== '').join(' '));
    if (isApart || level === 'warn' || level === 'error' || level === 'fatal') console.error('%s', line);
    else console.info('%s', line);
  };
