import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** The violations that axe-core finds on a page, one line each. Throws if fewer than `least` of its rules applied. */
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

/** Whether a page is wider than its window. */
export const isTooWide = async (page: Page): Promise<boolean> =>
  (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) === true;
