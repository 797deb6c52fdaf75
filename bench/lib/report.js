import { machine } from './results.js';

export const median = (numbers) => quantile(numbers, 0.5);
export const quartiles = (numbers) => [quantile(numbers, 0.25), quantile(numbers, 0.75)];

/** Between the two nearest of `numbers` where none of them is it. */
export function quantile(numbers, share) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  return below + (sorted[Math.ceil(place)] - below) * (place % 1);
}

/** The machine, and the versions of what is measured, in two lines. */
export function describeMachine(packages = []) {
  const { hardware, versions } = machine(packages);
  return `${hardware}\n${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}`;
}

/** Rows of cells as aligned text: as many columns of text to the left, numbers to the right. */
export function table(rows, texts = 1) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) =>
    row.map((cell, column) => (column < texts ? cell.padEnd(widths[column]) : cell.padStart(widths[column])));
  return rows.map((row) => line(row).join('  ').trimEnd()).join('\n');
}
