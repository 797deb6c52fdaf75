import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe-core finds on a page as it is now, one line each. */
export async function violationsOf(page: Page): Promise<string[]> {
  // Evaluated by the debugger: a Content-Security-Policy of the page does not matter.
  await page.evaluate(source);
  const found = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as Violation[];
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Whether something of a page is wider than its window. */
export const isTooWide = async (page: Page): Promise<boolean> =>
  (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) === true;
