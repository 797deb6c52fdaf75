import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dockerIgnores } from '../../harness/dockerignore.js';
import { ended, fwk, start } from '../../harness/fwk.js';
import { listing } from '../../harness/listing.js';
import { type Files, type Project, project } from '../../harness/project.js';

// What git ignores is not in the image of fwk build --docker, and what the image needs is: git itself says what it ignores.

const LOCK = { 'package-lock.json': '{}' };
/** Files without a text, by their names. */
const empty = (names: string): Files => Object.fromEntries(names.split(/\s+/).map((name) => [name, '']));

const git = async (made: Project, ...args: string[]): Promise<string> => {
  const { status, stdout, stderr } = await ended(start('git', args, made.root), 'git');
  assert.is(status, 0, stderr);
  return stdout;
};

async function dockerized(files: Files): Promise<Project> {
  const made = project({ ...LOCK, ...files }, 'js');
  const { status, stderr } = await fwk(made, 'build', '--docker');
  assert.equal([status, stderr], [0, '']);
  return made;
}

/** The files that Docker is sent. */
function sent(made: Project): string[] {
  const isIgnored = dockerIgnores(made.read('.dockerignore'));
  return Object.keys(listing(made)).filter((name) => !isIgnored(name));
}

/** The files that git would add, but for those that no image has. */
async function added(made: Project): Promise<string[]> {
  await git(made, 'init', '-q');
  const listed = await git(made, 'ls-files', '-z', '-o', '--exclude-per-directory=.gitignore');
  const own = ['', '.dockerignore', 'Dockerfile'];
  return listed
    .split('\0')
    .filter((name) => !own.includes(name))
    .sort();
}

const cases: Readonly<Record<string, Files>> = {
  'names at any depth, paths from the root, directories alone, wildcards': {
    '.gitignore': `# local\r
*.sqlite\r
coverage
logs/
/tmp
build/Release
.cache/**
**/secrets
docs/**/*.pdf
*.[oa]
key-[!p]*
report.????.json
foo**bar
trailing   
`,
    ...empty(`a.sqlite data/b.sqlite coverage x/coverage/c.html logs/a x/logs/b bin/logs tmp/a x/tmp/b build/Release/a
      x/build/Release/b build/main .cache/a/b .cache/c secrets x/y/secrets/z docs/a.pdf docs/x/y/b.pdf docs/a.md
      lib.a x/lib.o lib.c key-x key-public report.2026.json report.26.json foo-x-bar foo/x/bar trailing`),
  },
  'what lines take back': {
    '.gitignore': `.config.*
!.config.example
.yarn/*
!.yarn/releases
/data/*
!/data/seed/
data/seed/*.db
uploads/**
!uploads/**/
!uploads/**/.gitkeep
logs/
!logs/keep.log
*.md
!README.md
vendor
!/lib/vendor
`,
    ...empty(`.config.local x/.config.ci .config.example x/.config.example .yarn/cache/a .yarn/releases/y.cjs data/a
      data/seed/a data/seed/x/b data/seed/a.db uploads/.gitkeep uploads/a uploads/x/.gitkeep logs/keep.log
      logs/README.md x.md x/y.md x/README.md vendor/a vendor/README.md lib/vendor/a lib/vendor/x/vendor/b
      lib/vendor/c.md lib/vendor/.config.local`),
  },
  'everything but what is named': {
    '.gitignore': '*\n!*/\n!*.js\n!*.json\n!/public/**\n.config.json\n',
    ...empty('a.js x/y/b.js x/c.txt c.txt public/a.txt public/x/b.css .config.json x/.config.json'),
  },
  'everything at the root but what is named': {
    '.gitignore': '/*\n!/api\n!/package*.json\n!/.gitignore\n/api/*.tmp\n!/a.js/x\n',
    ...empty('a.js api/a.js api/a.tmp api/x/b.tmp data/x/c'),
  },
  'characters that mean something to one of the two': {
    '.gitignore':
      '\\#notes\n\\!now\n/\\#top\n/\\!top\nc++\n(group)\na{b}\nx^y\n$z.\n\\*star\nq\\?\nsp\\ \n/\\[id\\]\n[[:digit:]]x\n\\\n[z\n./y\n',
    ...empty(`#notes x/#notes !now #top x/#top !top c++ x/c++/a ccc (group)/a group a{b} ab x^y $z. $zx *star xstar q? qq sp
      [id] x/[id] i 1x ax z y`),
    'sp ': '',
  },
  'files named .gitignore in directories': {
    '.gitignore': '*.log\nold/\n',
    'uploads/.gitignore': '*\n!.gitignore\n',
    'data/.gitignore': '/cache\n!keep.log\n',
    'old/.gitignore': '!*\n',
    ...empty(
      `a.log uploads/a uploads/x/b data/cache/a data/x/cache data/x/keep.log data/a.log keep.log old/a`,
    ),
  },
};

const test = suite('.dockerignore');

for (const [name, files] of Object.entries(cases))
  test(`${name}: what git ignores, and nothing else`, async () => {
    const made = await dockerized(files);
    const wanted = await added(made);
    assert.ok(wanted.length < Object.keys(listing(made)).length / 1.2, 'much is ignored');
    const context = sent(made).filter((file) => !file.startsWith('.git/'));
    assert.equal(context, wanted);
  });

test('the text of a new project, after which it is the user’s', async () => {
  const made = project(LOCK);
  assert.is((await fwk(made, 'scaffold')).status, 0);
  made.write('.gitignore', `${made.read('.gitignore')}/data/\n`);
  assert.is((await fwk(made, 'build', '--docker')).status, 0);
  const text = `# What .gitignore names. Patterns of Docker begin at the root.
**/.fwk/**
**/dist/**
**/.env
**/.env.local
**/.env.*.local
data/**

# What an image must not have, or makes itself.
**/node_modules
dist
.fwk
.git
.env
.env.local
.env.*.local
**/*.tsbuildinfo
Dockerfile
.dockerignore
`;
  assert.is(made.read('.dockerignore'), text);
  made.write('.gitignore', '*.sqlite\n');
  assert.match((await fwk(made, 'build', '--docker')).stdout, 'skipped   .dockerignore');
  assert.is(made.read('.dockerignore'), text);
  made.remove('.gitignore');
  assert.is((await fwk(made, 'build', '--docker', '--force')).status, 0);
  assert.is(made.read('.dockerignore'), text.slice(text.indexOf('# What an image')));
});

test('what the image needs is in it, and nothing brings a secret back', async () => {
  const files = {
    '.gitignore':
      'package-lock.json\n.npmrc\nsrc/\npublic/\nviews\nforced.txt\n!.env\n!node_modules/\n!dist/\n',
    'tsconfig.json': '{}',
    'src/main.js': '',
    ...empty('.npmrc public/a.css views/a.eta .env node_modules/x/a.js dist/main.js'),
  };
  const made = await dockerized(files);
  const always = [
    '.gitignore',
    '.npmrc',
    'package-lock.json',
    'package.json',
    'src/main.js',
    'tsconfig.json',
  ];
  assert.equal(sent(made), [...always, 'public/a.css', 'views/a.eta'].sort());
  // Where more than fwk builds, it makes them in the image.
  made.write('package.json', '{ "type": "module", "scripts": { "build": "fwk build && vite build" } }');
  made.write('forced.txt', '');
  await git(made, 'init', '-q');
  await git(made, 'add', '--force', 'forced.txt');
  assert.is((await fwk(made, 'build', '--docker', '--force')).status, 0);
  const there = sent(made).filter((file) => !file.startsWith('.git/'));
  assert.equal(there, [...always, 'forced.txt'].sort());
});

test.run();
