import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, type Outcome, reasonsOf, reportOf, verdictOf } from './outcome.js';
import { terminalReport } from './terminal.js';

const FORMATS = {
  terminal: terminalReport,
  json: (outcome) => [JSON.stringify(reportOf(outcome), null, 2)],
  github: githubReport,
  markdown: markdownReport,
} as const satisfies Record<string, (outcome: Outcome) => readonly string[]>;

export type Format = keyof typeof FORMATS;

export const formatNames: readonly string[] = Object.keys(FORMATS);

export const isFormat = (name: string): name is Format => Object.hasOwn(FORMATS, name);

/** The lines of a report. */
export const printed = (outcome: Outcome, format: Format): readonly string[] => FORMATS[format](outcome);

/** The text of a cell, without markup. */
const cell = (text: string): string => text.replace(/[\\`*_{}[\]<>()#|~&]/g, '\\$&').replace(/\r?\n/g, ' ');

/** The code of a cell. A backtick would end it. */
const code = (text: string): string => `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``;

/** The report for a code review: a sentence, and a table of findings. */
function markdownReport(outcome: Outcome): readonly string[] {
  const { findings, proven } = reportOf(outcome);
  const reasons = [...new Set(reasonsOf(proven).map(({ route, by }) => `- ${code(route)} ${cell(by)}`))];
  const rows = blocksOf(findings).map(({ first: { route, file, line, rule }, problems, fixes }) => {
    const place = code(line === undefined ? file : `${file}:${line}`);
    const texts = [problems.join('; '), fixes.join(' ')].map(cell);
    return `| ${[route === undefined ? '' : code(route), place, code(rule), ...texts].join(' | ')} |`;
  });
  return [
    `${verdictOf(outcome)}.`,
    ...(rows.length === 0
      ? []
      : ['', '| Route | File | Rule | Problem | Fix |', '|---|---|---|---|---|', ...rows]),
    ...(reasons.length === 0 ? [] : ['', 'Exceptions and public routes:', '', ...reasons]),
  ];
}

/** Characters that a workflow command can't contain. A property can't contain `:` and `,` either. */
const escaped = (text: string, characters = /[%\r\n]/g): string =>
  text.replace(characters, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
const property = (text: string): string => escaped(text, /[%\r\n:,]/g);

/** Annotations of GitHub Actions: an error for each rule and route, and a notice for each public route. */
function githubReport(outcome: Outcome): readonly string[] {
  const { findings, proven } = reportOf(outcome);
  const lineIn = (file: string): number => {
    try {
      const lines = readFileSync(join(outcome.root, file), 'utf8').split('\n');
      const index = lines.findIndex((line) => /^export (?:default|\{)/.test(line));
      return Math.max(index, 0) + 1;
    } catch {
      return 1;
    }
  };
  const errors = blocksOf(findings).map(({ first, problems, fixes }) => {
    const { rule, file, line = lineIn(file), route } = first;
    const text = `${route === undefined ? '' : `${route} `}${problems.join('; ')}. ${fixes.join(' ')}`;
    return `::error file=${property(file)},line=${line},title=${property(rule)}::${escaped(text)}`;
  });
  const open = reasonsOf(proven).filter(({ by }) => by.startsWith('public: '));
  const notices = open.map(({ route, by }) => `::notice title=public::${escaped(`${route} ${by}`)}`);
  return [...errors, ...new Set(notices)];
}
