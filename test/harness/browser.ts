import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import type { Test } from 'uvu';

const executablePath = '/usr/bin/chromium';
const args =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

/** Whether there is a browser to try pages in. */
export const hasBrowser = existsSync(executablePath);
if (!hasBrowser) console.log(`There is no ${executablePath}: pages are not tried in a browser.`);

export const browser = (): Promise<Browser> => chromium.launch({ executablePath, args: args.split(' ') });

/**
 * One browser for all tests of a suite, each in its own context, like another user. A launch takes half a second of
 * CPU.
 */
export function contexts<Context>(
  test: Test<Context>,
): <Result>(
  act: (context: BrowserContext) => Promise<Result>,
  options?: BrowserContextOptions,
) => Promise<Result> {
  let launched: Promise<Browser> | undefined;
  test.after(async () => (await launched)?.close());
  return async (act, options) => {
    launched ??= browser();
    const context = await (await launched).newContext(options);
    try {
      return await act(context);
    } finally {
      await context.close();
    }
  };
}
