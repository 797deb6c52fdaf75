import { type Outcome, reportOf } from '../prove/outcome.js';
import { githubReport } from './github.js';
import { markdownReport } from './markdown.js';
import { sarifReport } from './sarif.js';
import { terminalReport } from './terminal.js';

const json = (value: object): readonly string[] => [JSON.stringify(value, null, 2)];

/** How an outcome can be printed. */
const FORMATS = {
  terminal: terminalReport,
  json: (outcome: Outcome) => json(reportOf(outcome)),
  github: (outcome: Outcome) => githubReport(reportOf(outcome)),
  sarif: (outcome: Outcome) => json(sarifReport(reportOf(outcome))),
  markdown: markdownReport,
} as const satisfies Record<string, (outcome: Outcome) => readonly string[]>;

export type Format = keyof typeof FORMATS;

/** The names of all formats. */
export const formatNames: readonly string[] = Object.keys(FORMATS);

export const isFormat = (name: string): name is Format => Object.hasOwn(FORMATS, name);

/** The lines of a report. */
export const printed = (outcome: Outcome, format: Format): readonly string[] => FORMATS[format](outcome);
