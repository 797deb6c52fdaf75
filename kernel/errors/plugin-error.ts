import { framesOutside } from '../../loader/errors/explain.js';
import { isThenable } from '../thenable.js';
import { BootError, messageOf } from './boot-error.js';
import { codeOf } from './coded.js';

/** A plugin does what it must not. The message says what to do instead. */
export class PluginMisuse extends Error {}

/** A plugin failed: a sentence that names it, the phase and a remedy, above the frames of its own code. */
export class PluginError extends BootError {
  override readonly name = 'PluginError';

  /**
   * @param phase completes "failed in": `resolve`, `command "greet"`
   * @param root the project's, which files of frames are shown relative to
   */
  constructor(plugin: string, phase: string, cause: unknown, root: string) {
    const isMisuse = cause instanceof PluginMisuse;
    const remedy = isMisuse ? '' : ` Fix it, or disable it with disable: ['${plugin}'].`;
    const message = `Plugin "${plugin}" failed in ${phase}: ${messageOf(cause)}.${remedy}`;
    const code = isMisuse ? 'FWK707' : (codeOf(cause) ?? 'FWK706');
    super({ message, code, excerpt: framesOutside(cause, root, isMisuse) });
    this.cause = cause;
  }
}

/** A function that calls `run`, and makes what that throws or rejects with a PluginError. A BootError is about the project and stays as it is. */
export function attributeErrors(
  plugin: string,
  phase: string,
  root: string,
  run: () => unknown,
): () => unknown {
  const blame = (cause: unknown): never => {
    throw cause instanceof BootError ? cause : new PluginError(plugin, phase, cause, root);
  };
  return () => {
    try {
      const result = run();
      return isThenable(result) ? Promise.resolve(result).catch(blame) : result;
    } catch (cause) {
      return blame(cause);
    }
  };
}
