import { blocksOf, type Outcome, reasonsOf, reportOf } from './outcome.js';

/** Replaces characters that a workflow command can't contain. A property can't contain `:` and `,` either. */
const escaped = (text: string, characters = /[%\r\n]/g): string =>
  text.replace(characters, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
const property = (text: string): string => escaped(text, /[%\r\n:,]/g);

/** Annotations of GitHub Actions: an error for each rule and route, and a notice for each public route. */
export function githubReport(outcome: Outcome): readonly string[] {
  const { findings, proven } = reportOf(outcome);
  const errors = blocksOf(findings).map(({ first: { rule, file, line = 1, route }, problems, fixes }) => {
    const text = `${route === undefined ? '' : `${route} `}${problems.join('; ')}. ${fixes.join(' ')}`;
    return `::error file=${property(file)},line=${line},title=${property(rule)}::${escaped(text)}`;
  });
  const open = reasonsOf(proven).filter(({ by }) => by.startsWith('public: '));
  const notices = open.map(({ route, by }) => `::notice title=public::${escaped(`${route} ${by}`)}`);
  return [...errors, ...new Set(notices)];
}
