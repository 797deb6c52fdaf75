import { relative, sep } from 'node:path';
import { Eta } from 'eta';
import { messageOf } from '../../kernel/index.js';
import { type ViewEngine, ViewError } from './view.js';

/** The built-in engine. Templates may use `layout()`, `include()` and `block()`. */
export const etaEngine: ViewEngine = (directory, { extension, cache }) => {
  // Without `debug`, Eta's errors contain no line numbers.
  const eta = new Eta({ views: directory, defaultExtension: `.${extension}`, cache, debug: true });
  const display = (file: string | undefined) =>
    file === undefined ? 'a template' : `views/${relative(directory, file).split(sep).join('/')}`;

  // The innermost template throws first, so its file and line are kept.
  eta.RuntimeErr = (cause, _text, line, file) => {
    throw cause instanceof ViewError
      ? cause
      : new ViewError(`${display(file)}:${line} throws: ${messageOf(cause)}`, { cause });
  };
  const { compile } = eta;
  eta.compile = (text, options) => {
    try {
      return compile.call(eta, text, options);
    } catch (cause) {
      throw new ViewError(`${display(options?.filepath)}${reasonOf(cause)}`, { cause });
    }
  };
  return (name, data) => eta.render(name, data);
};

/** Eta's message is a drawing, with the line number in the first line or the reason in the third. */
function reasonOf(cause: unknown): string {
  const [first = '', , third = ''] = messageOf(cause).split('\n');
  const [, reason, line] = /^(.*) at line (\d+) col \d+:$/.exec(first) ?? [];
  if (line !== undefined) return `:${line} does not parse: ${reason}`;
  return ` does not parse: ${third === '' ? first : third}`;
}
