import type { Outcome } from '../prove/outcome.js';
import { verdictOf } from './verdict.js';

/** Text of a cell: what ends it or the row is escaped, and no client's word becomes markup. */
const cell = (text: string): string => text.replace(/[\\`*_{}[\]<>()#|~&]/g, '\\$&').replace(/\r?\n/g, ' ');

/** Code of a cell. A backtick would end it. */
const code = (text: string): string => `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``;

/** What came of a policy, for a review: a line about all, and a table of what does not hold. */
export function markdownReport(outcome: Outcome): readonly string[] {
  const { rules } = outcome;
  const verdict = `${verdictOf(outcome)}.`;
  const findings = rules.flatMap((rule) => rule.findings);
  const reasons = rules.flatMap(({ proven }) => proven).filter(({ by }) => /^(public|except): /.test(by));
  const listed = [...new Set(reasons.map(({ route, by }) => `- ${code(route)} ${cell(by)}`))];
  const known = listed.length === 0 ? [] : ['', 'Let be, with a reason:', '', ...listed];
  if (findings.length === 0) return [verdict, ...known];
  return [
    verdict,
    '',
    '| Route | File | Rule | What | Fix |',
    '|---|---|---|---|---|',
    ...findings.map(({ route, file, line, rule, problem, fix }) => {
      const place = code(line === undefined ? file : `${file}:${line}`);
      const cells = [route === undefined ? '' : code(route), place, code(rule), cell(problem), cell(fix)];
      return `| ${cells.join(' | ')} |`;
    }),
    ...known,
  ];
}
