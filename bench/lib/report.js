import { machine } from './results.js';

export const median = (numbers) => quantile(numbers, 0.5);
export const quartiles = (numbers) => [quantile(numbers, 0.25), quantile(numbers, 0.75)];

/** Returns a quantile, interpolated between the two nearest numbers. */
export function quantile(numbers, share) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  return below + (sorted[Math.ceil(place)] - below) * (place % 1);
}

/** Describes the machine and the measured versions in two lines. */
export function describeMachine(packages = []) {
  const { hardware, versions } = machine(packages);
  return `${hardware}\n${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}`;
}

/** Aligns rows of cells: the first `texts` columns to the left, the other columns, which are numbers, to the right. */
export function table(rows, texts = 1) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) =>
    row.map((cell, column) => (column < texts ? cell.padEnd(widths[column]) : cell.padStart(widths[column])));
  return rows.map((row) => line(row).join('  ').trimEnd()).join('\n');
}
