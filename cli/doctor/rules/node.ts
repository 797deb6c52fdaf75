import type { Rule } from '../subject.js';

/** The last day on which a major version of Node gets fixes: https://github.com/nodejs/release#release-schedule */
const LAST_DAYS: Readonly<Record<string, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
};

/** A Node that gets no fixes any more. */
export const oldNode: Rule = () => {
  const { node } = process.versions;
  const last = LAST_DAYS[Number.parseInt(node, 10)];
  if (last === undefined || new Date().toISOString().slice(0, last.length) <= last) return [];
  return [
    {
      rule: 'old-node',
      code: 'FWK621',
      message: `This is Node ${node}, whose holes are not closed any more since ${last}.`,
      fix: 'Install a version that has long-term support: https://nodejs.org/.',
    },
  ];
};
