import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { packagesAs } from './packages.js';

/** What axe-core finds against the page as it is now, one line for each rule and element. */
export async function violations(page: Page): Promise<string[]> {
  const file = path.join(packagesAs('axe', { 'axe-core': '^4.11.0' }), 'node_modules/axe-core/axe.min.js');
  // Evaluated by the debugger, to whom the policy of the page says nothing.
  await page.evaluate(readFileSync(file, 'utf8'));
  const found = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[];
    passes: unknown[];
  };
  if (found.passes.length === 0) throw new Error('axe-core has looked at nothing.');
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}
