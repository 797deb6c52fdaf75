import kleur from 'kleur';
import { consoleLogger, explain, type Logger, type Paint } from '../kernel/host.js';
import { onStderr } from './colour.js';

const PAINT: Paint = {
  bad: (text) => kleur.red().bold(text),
  strong: (text) => text,
  dim: (text) => kleur.dim(text),
};

/** The logger of a person at work: errors show the source around them, and of the stack what is the project's. */
export function terminalLogger(root: string): Logger {
  const drawn = (detail: unknown): unknown =>
    detail instanceof Error ? onStderr(() => `\n${explain(detail, root).describe(PAINT)}\n`) : detail;
  return {
    ...consoleLogger,
    warn: (message, ...details) => consoleLogger.warn(message, ...details.map(drawn)),
    error: (message, ...details) => consoleLogger.error(message, ...details.map(drawn)),
  };
}
