import kleur from 'kleur';
import { consoleLogger } from '../../app/loggers.js';
import { explain, type Logger, type Paint } from '../../kernel/internal.js';
import { onStderr } from './color.js';

const PAINT: Paint = {
  bad: (text) => kleur.red().bold(text),
  strong: (text) => text,
  dim: (text) => kleur.dim(text),
};

/** The logger of a person at work: errors show the source around them, and of the stack what is the project's. */
export function terminalLogger(root: string): Logger {
  const draw = (message: string, details: readonly unknown[]): [string, ...unknown[]] => {
    const errors = details.filter((detail) => detail instanceof Error);
    const drawn = errors.map((error) => `\n${onStderr(() => explain(error, root).describe(PAINT))}\n`);
    return [message + drawn.join(''), ...details.filter((detail) => !(detail instanceof Error))];
  };
  return {
    ...consoleLogger,
    warn: (message, ...details) => consoleLogger.warn(...draw(message, details)),
    error: (message, ...details) => consoleLogger.error(...draw(message, details)),
  };
}
