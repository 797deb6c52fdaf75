import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe-core finds on a page as it is now, one line each. Throws where fewer than `least` of its rules had something to look at. */
export async function violationsOf(page: Page, least = 1): Promise<string[]> {
  // Evaluated by the debugger: a Content-Security-Policy of the page does not matter.
  await page.evaluate(source);
  const { violations, passes } = (await page.evaluate('axe.run()')) as {
    readonly violations: readonly Violation[];
    readonly passes: readonly unknown[];
  };
  if (passes.length < least) throw new Error(`axe-core has looked at ${passes.length} things.`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Whether something of a page is wider than its window. */
export const isTooWide = async (page: Page): Promise<boolean> =>
  (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) === true;
