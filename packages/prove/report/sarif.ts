import type { Finding, FindingKind, Report } from '../policy/findings.js';
import { publicRoutes } from './outcome.js';

/** What each kind means, for tools that show results by rule. */
const KINDS: Readonly<Record<FindingKind, string>> = {
  missing: 'A middleware is not in the chain of a route, or a tool does not need a scope',
  order: 'Middlewares run in another order than the policy says',
  open: 'A visitor who should be refused gets as far as the handler',
  answered: 'Another layer answers instead of refusing',
  failed: 'A route fails instead of refusing',
  vacuous: 'A visitor who should be admitted is refused',
  unknown: 'A name in the policy is that of no middleware, or of several',
  empty: 'A rule of the policy selects nothing',
  stale: 'An exception is for nothing',
};

const PUBLIC = 'public';
const OF_PUBLIC = 'A route says of itself that anybody may call it, and why';

/** A log of SARIF 2.1.0: what code scanning takes. */
export function sarifReport(report: Report): object {
  const { findings } = report;
  const open = publicRoutes(report);
  const kinds = [...new Set(findings.map(({ kind }) => kind))].sort();
  const rules = kinds.map((id) => ({ id, shortDescription: { text: KINDS[id] } }));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'fwk prove',
            informationUri: 'https://www.npmjs.com/package/@fwkit/prove',
            rules:
              open.length > 0 ? [...rules, { id: PUBLIC, shortDescription: { text: OF_PUBLIC } }] : rules,
          },
        },
        results: [
          ...findings.map((finding) => ({
            ruleId: finding.kind,
            ruleIndex: kinds.indexOf(finding.kind),
            level: 'error',
            message: { text: textOf(finding) },
            locations: [{ physicalLocation: placeOf(finding) }],
            // The same finding of another run: whatever moves in the file, it is one of this rule and route.
            partialFingerprints: { 'policy/v1': fingerprintOf(finding) },
            properties: propertiesOf(finding),
          })),
          ...open.map(({ route, by }) => ({
            ruleId: PUBLIC,
            ruleIndex: kinds.length,
            kind: 'informational',
            level: 'none',
            message: { text: `${route} ${by}` },
          })),
        ],
      },
    ],
  };
}

const textOf = ({ rule, route, problem, fix }: Finding): string =>
  `${route === undefined ? '' : `${route} `}${problem}. ${fix} (${rule})`;

const placeOf = ({ file, line }: Finding) => ({
  artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') },
  ...(line === undefined ? {} : { region: { startLine: line } }),
});

const fingerprintOf = ({ rule, kind, route = '', file, spelling = '' }: Finding): string =>
  [kind, route, file, rule, spelling].join('|');

const propertiesOf = ({ rule, route, spelling }: Finding) => ({
  policyRule: rule,
  ...(route === undefined ? {} : { route }),
  ...(spelling === undefined ? {} : { spelling }),
});
