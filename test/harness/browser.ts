import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = '/usr/bin/chromium';
const args =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

/** Whether there is a browser to try pages in. */
export const hasBrowser = existsSync(executablePath);
if (!hasBrowser) console.log(`There is no ${executablePath}: pages are not tried in a browser.`);

export const browser = (): Promise<Browser> => chromium.launch({ executablePath, args: args.split(' ') });
