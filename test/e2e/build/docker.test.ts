import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dockerIgnores } from '../../harness/dockerfile.js';
import { fwk } from '../../harness/fwk.js';
import { type Files, project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';

// The files that `fwk build --docker` writes. package-managers.test.ts runs them.

const test = suite('fwk build --docker');

const SCRIPTS = { build: 'vite build && fwk build', start: 'node --enable-source-maps dist/main.js' };

async function dockerized(files: Files) {
  const made = project({ 'package.json': JSON.stringify({ scripts: SCRIPTS }), ...files });
  const { status, stdout, stderr } = await fwk(made, 'build', '--docker');
  assert.equal([status, stdout, stderr], [0, 'written   Dockerfile\nwritten   .dockerignore\n', '']);
  const text = made.read('Dockerfile');
  const commands = [...text.matchAll(/^(?:COPY|RUN|CMD) .*$/gm)].map(([line]) => line);
  return { made, commands };
}

test('the image installs by the lockfile and package manager settings, builds, and starts as the scripts do', async () => {
  const yarn = await dockerized({ 'yarn.lock': '__metadata:\n', '.yarnrc.yml': '', 'tsconfig.json': '{}' });
  assert.equal(yarn.commands, [
    'RUN npm install --global corepack && corepack enable',
    'COPY package.json yarn.lock .yarnrc.yml ./',
    'RUN yarn workspaces focus --all --production',
    'RUN yarn install --immutable',
    'COPY . .',
    'RUN yarn run build',
    'RUN rm -rf node_modules src .fwk .yarnrc.yml',
    'COPY --from=build /app ./',
    'COPY --from=modules /app/node_modules ./node_modules',
    'CMD ["node", "--enable-source-maps", "dist/main.js"]',
  ]);
  const plain = await dockerized({ 'package.json': '{}', 'bun.lock': '' });
  assert.equal(plain.commands, [
    'RUN npm install --global bun',
    'COPY package.json bun.lock ./',
    'RUN bun install --frozen-lockfile --production',
    'COPY . .',
    'COPY --from=build /app ./',
    'COPY --from=modules /app/node_modules ./node_modules',
    'CMD ["node", "main.js"]',
  ]);
});

test('the image excludes what .gitignore lists, always excludes secrets, and keeps existing Docker files', async () => {
  const { made } = await dockerized({
    '.env.example': 'DATABASE_URL=\n',
    'package-lock.json': '{}',
    '.gitignore': '# local\n*.sqlite\nlogs/\n/tmp\n!seed.sqlite\n!.env\n',
  });
  assert.match(made.read('Dockerfile'), 'docker run --rm -p 3000:3000 --env-file .env app\n');
  const text = made.read('.dockerignore');
  assert.match(
    text,
    '# From .gitignore.\n**/*.sqlite\n**/logs\ntmp\n!**/seed.sqlite\n!**/.env\n\n# Files that an image',
  );
  const isIgnored = dockerIgnores(text);
  for (const file of [
    'a.sqlite',
    'data/b.sqlite',
    'x/logs/a.txt',
    'tmp/a',
    '.env',
    '.git/config',
    'node_modules/x/y.js',
  ])
    assert.ok(isIgnored(file), file);
  for (const file of [
    'seed.sqlite',
    'x/tmp/a',
    'package-lock.json',
    'public/a.css',
    '.env.production',
    'src/api/a.get.ts',
  ])
    assert.not(isIgnored(file), file);
  made.write('.gitignore', '*.db\n');
  const { stdout } = await fwk(made, 'build', '--docker');
  assert.match(stdout, 'skipped   Dockerfile\nskipped   .dockerignore\n');
  assert.is(made.read('.dockerignore'), text);
  assert.is((await fwk(made, 'build', '--docker', '--force')).status, 0);
  assert.match(made.read('.dockerignore'), '# From .gitignore.\n**/*.db\n\n');
});

test('without a lockfile beside package.json, Docker files are refused because the lockfile of a workspace is in its root', async () => {
  const made = project(
    { 'package-lock.json': '{}', 'apps/shop/package.json': '{}', 'apps/shop/api/x.get.js': '' },
    'js',
  );
  assert.match(
    await refusal(made, 'build', '--docker', '--dir', 'apps/shop'),
    'FWK613 An image is built from a lockfile, and there is no package-lock.json beside package.json. Run npm install, and commit the file. In a workspace, write one Dockerfile at its root.',
  );
});

test.run();
