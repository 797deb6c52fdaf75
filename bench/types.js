/** How long `fwk types` takes beyond bare Node, for projects of 500 and 10,000 routes. See README.md. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine, median, positive, table } from './lib/report.js';

const FWK = join(import.meta.dirname, '../cli/fwk.js');
/** Milliseconds above bare Node that each size may take. */
const TARGETS = new Map([
  [500, 25],
  [10_000, 80],
]);
/** The routes of one resource. */
const FORMS = [
  'index.get.ts',
  'index.post.ts',
  'search.get.ts',
  '[id]/index.get.ts',
  '[id]/index.put.ts',
  '[id]/index.del.ts',
  '[id]/parts.get.ts',
  '[id]/parts.post.ts',
  '[id]/history.get.ts',
  '[id]/archive.post.ts',
];

const { values } = parseArgs({ options: { runs: { type: 'string', default: '21' } } });
const runs = positive('runs', values.runs);

const home = mkdtempSync(join(tmpdir(), 'fwk-bench-'));
try {
  const projects = [...TARGETS.keys()].map((routes) => ({
    routes,
    root: project(routes),
    times: [],
    over: [],
  }));
  const bare = [];
  for (let run = -2; run < runs; run += 1) {
    const base = time(['-e', '0']);
    if (run >= 0) bare.push(base);
    for (const { root, times, over } of projects) {
      const taken = time([FWK, 'types', '--dir', root]);
      // The first runs fill caches: the disk's, and Node's compile cache where it has one.
      if (run < 0) continue;
      times.push(taken);
      over.push(taken - base);
    }
  }
  console.log(`${describeMachine(['fwkit'])}\n`);
  console.log(
    table([
      ['command', '', 'median', 'above bare Node', 'target'],
      ['node -e 0', '', ms(bare), '', ''],
      ...projects.map(({ routes, times, over }) => [
        'fwk types',
        `${routes} routes`,
        ms(times),
        ms(over),
        `${TARGETS.get(routes)} ms`,
      ]),
    ]),
  );
  console.log(`\nMedians of ${runs} interleaved runs; "above" is the median of each run's own difference.`);
} finally {
  rmSync(home, { recursive: true });
}

function ms(times) {
  return `${median(times).toFixed(1)} ms`;
}

function time(args) {
  const start = performance.now();
  execFileSync(process.execPath, args, { stdio: 'pipe' });
  return performance.now() - start;
}

/** A TypeScript project with as many route files, ten to a resource. */
function project(routes) {
  const root = join(home, String(routes));
  for (let index = 0; index < routes; index += 1) {
    const resource = Math.floor(index / FORMS.length);
    const form = FORMS[index % FORMS.length];
    const file = join(root, 'src/api/v1', `group${resource % 20}`, `resource${resource}`, form);
    const method = form.split('.').at(-2);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `import { ${method} } from 'fwkit';\n\nexport default ${method}(() => ({}));\n`);
  }
  for (const name of ['userStore', 'mailer', 'clock'])
    write(
      root,
      `src/services/${name}.ts`,
      `import { service } from 'fwkit';\n\nexport default service(() => ({}));\n`,
    );
  write(root, 'package.json', '{ "name": "generated", "type": "module" }\n');
  write(root, 'tsconfig.json', '{ "include": ["src", ".fwk/**/*"] }\n');
  return root;
}

function write(root, name, text) {
  const file = join(root, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
