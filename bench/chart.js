/**
 * Draws bench/results/http.json as an SVG for the README: requests per second of every subject relative to node:http.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refuse } from './lib/options.js';
import { median } from './lib/report.js';

const home = import.meta.dirname;
const file = process.argv[2] ?? join(home, 'results/http.json');
if (!existsSync(file)) refuse(`${file} does not exist. Run npm run bench first.`);
const { date, hardware, versions, method, scenarios } = JSON.parse(readFileSync(file, 'utf8'));

/** The largest median interquartile range of the ratios. A larger value means that the machine was busy. */
const SPREAD = 0.15;
const spread = median(
  scenarios.flatMap(({ subjects }) =>
    subjects.slice(1).map(
      ({
        rate: {
          quartiles: [low, high],
        },
      }) => high - low,
    ),
  ),
);
if (spread > SPREAD)
  refuse(
    `The ratios of this run spread by ${spread.toFixed(2)}, more than ${SPREAD}: the machine was busy. Run npm run bench again.`,
  );

const WIDTH = 860;
const LEFT = 90;
const RIGHT = 60;
const BAR = 13;
const GAP = 3;
const TITLE = 30;
const FOOT = 62;

const shown = scenarios.map(({ title, subjects }) => ({ title, bars: subjects }));
/** Longer bars are cut: a bar five times as long would make all others look alike. */
const LONGEST = 1.5;
const widest = Math.min(
  LONGEST,
  Math.max(...shown.flatMap(({ bars }) => bars.map(({ rate }) => rate.ratio))),
);
const scale = (WIDTH - LEFT - RIGHT) / widest;
const escapeXml = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** Two strokes that mark a cut bar. */
const cutAt = (x, y) =>
  [0, 6].map((shift) => `<path class="cut" d="M${x + shift} ${y + BAR} l5 -${BAR}"/>`).join('');

let y = 40;
const parts = [];
for (const { title, bars } of shown) {
  parts.push(`<text class="title" x="${LEFT}" y="${y + 14}">${escapeXml(title)}</text>`);
  y += TITLE - 8;
  for (const { subject, rate } of bars) {
    const kind = subject === 'fwk' ? 'fwk' : subject === bars[0].subject ? 'raw' : 'peer';
    const width = (Math.min(rate.ratio, widest) * scale).toFixed(1);
    const middle = y + BAR - 3;
    parts.push(
      `<text class="${kind} name" x="${LEFT - 8}" y="${middle}">${subject === 'raw' ? 'node:http' : subject}</text>`,
      `<rect class="${kind}" x="${LEFT}" y="${y}" width="${width}" height="${BAR}" rx="2"/>`,
      ...(rate.ratio > widest ? [cutAt(LEFT + Number(width) - 24, y)] : []),
      `<text class="${kind} value" x="${LEFT + Number(width) + 6}" y="${middle}">${rate.ratio.toFixed(2)}</text>`,
    );
    y += BAR + GAP;
  }
  y += 10;
}
const notes = [
  `${date}. ${hardware}.`,
  `Node ${versions.node}, ${Object.entries(versions)
    .filter(([name]) => name !== 'node')
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}.`,
  `Medians of ${method.rounds} interleaved rounds of ${method.seconds} s over ${method.processes} processes each, ${method.connections} connections.`,
];
notes.forEach((note, index) => {
  parts.push(`<text class="note" x="10" y="${y + 10 + index * 14}">${escapeXml(note)}</text>`);
});

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y + FOOT}" viewBox="0 0 ${WIDTH} ${y + FOOT}" role="img" aria-label="Requests per second relative to node:http">
<style>
text { font: 11px system-ui, sans-serif; fill: #57606a }
.head { font-size: 14px; font-weight: 600; fill: #24292f }
.title { font-weight: 600; fill: #24292f }
.name { text-anchor: end }
text.fwk { font-weight: 700; fill: #0969da }
.note { font-size: 10px }
rect.fwk { fill: #0969da }
rect.raw { fill: #57606a }
rect.peer { fill: #afb8c1 }
.cut { stroke: #fff; stroke-width: 2 }
</style>
<rect width="100%" height="100%" fill="#fff"/>
<text class="head" x="10" y="22">Requests per second relative to a hand-written node:http server (1.00); longer is faster</text>
${parts.join('\n')}
</svg>
`;
writeFileSync(join(home, 'chart.svg'), svg);
