import { grouped } from '../grouped.js';
import type { Finding } from '../prove/findings.js';

/** What is wrong in the same way, with what to do about it. */
export interface Block {
  /** Routes with their files, or a place in the policy. */
  readonly places: readonly string[];
  readonly problems: readonly string[];
  readonly fixes: readonly string[];
}

/** The findings of one rule: all of a route together, and routes of which the same is said. */
export function blocksOf(findings: readonly Finding[]): readonly Block[] {
  const ofRoutes = grouped(findings, (finding) => (finding.route === undefined ? finding : placeOf(finding)));
  const blocks = ofRoutes.map((own): Block => {
    // What the chain lacks is why somebody gets in: what to do about that is the same.
    const lacks = own.filter(({ kind }) => kind === 'missing' || kind === 'order');
    return {
      places: own.slice(0, 1).map(placeOf),
      problems: own.map(({ problem }) => problem),
      fixes: [...new Set((lacks.length > 0 ? lacks : own).map(({ fix }) => fix))],
    };
  });
  const alike = grouped(blocks, ({ problems, fixes }) => JSON.stringify([problems, fixes]));
  return alike.flatMap(([first, ...others]) =>
    first ? { ...first, places: [first, ...others].flatMap(({ places }) => places) } : [],
  );
}

function placeOf({ route, file, line }: Finding): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return route === undefined ? place : `${route}  ${place}`;
}
