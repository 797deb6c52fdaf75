import { type REPLServer, type ReplOptions, start } from 'node:repl';
import { PassThrough } from 'node:stream';

/**
 * Node's own prompt. Its code runs in this realm, as that of modules does: a `Date` or an array of another would be none for
 * what it is passed to.
 */
export const startPrompt = (options: ReplOptions): REPLServer => start({ useGlobal: true, ...options });

/** The value of the last statement of `code`, in which `await` may stand. Rejects with what it throws, or why it cannot be read. */
export async function evaluate(code: string): Promise<unknown> {
  const output = new PassThrough({ encoding: 'utf8' });
  const server = startPrompt({ input: new PassThrough(), output, prompt: '', terminal: false });
  try {
    return await new Promise((resolve, reject) => {
      // What is thrown goes to people instead of to the caller, and into this variable.
      output.on('data', (text: string) => {
        if (text.includes('Uncaught')) reject(Reflect.get(globalThis, '_error'));
      });
      server.eval(code, server.context, 'script', (thrown: unknown, value: unknown) => {
        if (thrown === null || thrown === undefined) resolve(value);
        else reject(unwrapped(thrown));
      });
    });
  } finally {
    server.close();
  }
}

/** Code that ends too early is passed on as something to be continued. */
const unwrapped = (thrown: unknown): unknown =>
  thrown instanceof Error && 'err' in thrown && thrown.err instanceof Error ? thrown.err : thrown;
