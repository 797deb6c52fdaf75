import { symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../../harness/fwk.js';
import { connected, imported, type McpClient } from '../../harness/mcp-clients.js';
import { compiled, startMain } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { refusal } from '../../harness/refusal.js';

const manifest = (name: string, description = 'How to refund an order.') =>
  `---\nname: ${name}\n${description && `description: ${description}\n`}---\nRead references/limits.md.\n`;

const files = {
  'src/mcp/skills/refunds/SKILL.md': manifest('refunds'),
  'src/mcp/skills/refunds/references/limits.md': 'At most 100 euros.\n',
  'mcp/skills/refunds/scripts/total.ts': 'export default 1;\n',
};

interface Skill {
  readonly uri: string;
  readonly frontmatter: object;
  readonly resources: readonly { readonly uri: string; readonly size: number }[];
}

/** The part of the official client that tests use. It checks sizes, digests and the frontmatter. */
interface SkillsClient {
  list(): Promise<{ readonly skills: readonly Skill[] }>;
  get(uri: string): Promise<{ readonly skill: Skill }>;
  read(skill: Skill, path?: string): Promise<{ readonly bytes: Uint8Array; readonly verified: boolean }>;
}

async function skillsOf(client: McpClient): Promise<SkillsClient> {
  const { SkillsClient: Made } = await imported('@modelcontextprotocol/client/ext/skills');
  if (!Made) throw new Error('The client package has other exports than expected.');
  return new Made(client) as SkillsClient;
}

const text = ({ bytes }: { readonly bytes: Uint8Array }) => Buffer.from(bytes).toString();

const test = suite('skills');

for (const name of ['v2 client, 2025', 'v2 client, 2026-07-28'])
  test(`${name} lists skills and reads verified files`, async () => {
    const made = project(files);
    const server = await dev(made);
    const client = await connected(name, { url: server.url });
    const skills = await skillsOf(client);
    const [skill, ...others] = (await skills.list()).skills;
    if (!skill) throw new Error('No skill is listed.');
    assert.equal(others, []);
    assert.is(skill.uri, 'skill://refunds/SKILL.md');
    assert.equal(skill.frontmatter, { name: 'refunds', description: 'How to refund an order.' });
    assert.equal(
      skill.resources.map(({ uri }) => uri),
      ['SKILL.md', 'references/limits.md', 'scripts/total.ts'].map((file) => `skill://refunds/${file}`),
    );
    assert.equal((await skills.get(skill.uri)).skill, skill);
    assert.is(text(await skills.read(skill)), files['src/mcp/skills/refunds/SKILL.md']);
    assert.is(text(await skills.read(skill, 'references/limits.md')), 'At most 100 euros.\n');
    assert.is(text(await skills.read(skill, 'scripts/total.ts')), 'export default 1;\n');
    assert.equal((await client.listResources()).resources, [
      {
        uri: 'skill://refunds/SKILL.md',
        name: 'refunds',
        description: 'How to refund an order.',
        mimeType: 'text/markdown',
      },
    ]);
    for (const uri of ['skill://refunds/none.md', 'skill://refunds/%2E%2E/%2E%2E/auth.ts'])
      assert.match(String(await client.readResource({ uri }).catch(String)), /There is no resource/);

    made.write('src/mcp/skills/refunds/references/limits.md', 'At most 50 euros.\n');
    made.write('src/mcp/skills/refunds/assets/icon.bin', '\u00ff');
    const [changed] = (await skills.list()).skills;
    if (!changed) throw new Error('No skill is listed.');
    assert.is(changed.resources.length, 4);
    assert.is(text(await skills.read(changed, 'references/limits.md')), 'At most 50 euros.\n');
    await client.close();
    await server.stop();
  });

test('fwk build copies the directory, and production serves the copy', async () => {
  const made = await compiled(files, 'ts');
  const { status, stdout, stderr } = await fwk(made, 'build');
  assert.is(status, 0, stdout + stderr);
  assert.not(made.exists('dist/mcp/skills/refunds/scripts/total.js'));
  const launched = startMain(made);
  const [, url = ''] = await launched.output.waitFor(/^serves (http:\/\/\S+:\d+)\/$/m);
  const client = await connected('v2 client, 2026-07-28', { url });
  const skills = await skillsOf(client);
  const [skill] = (await skills.list()).skills;
  if (!skill) throw new Error('No skill is listed.');
  assert.is(skill.resources.length, 3);
  assert.is(text(await skills.read(skill, 'scripts/total.ts')), 'export default 1;\n');
  await client.close();
  await launched.stop();
  made.remove('src/mcp/skills/refunds/references/limits.md');
  assert.is((await fwk(made, 'build')).status, 0);
  assert.not(made.exists('dist/mcp/skills/refunds/references/limits.md'));
});

test('fwk mcp lists skills', async () => {
  const { stdout } = await fwk(project(files), 'mcp');
  assert.match(stdout, /^skill refunds How to refund an order\.$/m);
});

test('mistakes are reported with their file and a fix', async () => {
  const made = project({
    'src/mcp/skills/a/SKILL.md': manifest('b'),
    'src/mcp/skills/c/SKILL.md': manifest('c', ''),
    'src/mcp/skills/d/skill.md': manifest('d'),
    'src/mcp/skills/e/SKILL.md': manifest('e'),
    'src/mcp/skills/SKILL.md': manifest('f'),
    'src/mcp/skills/g/SKILL.md': '# No frontmatter\n',
  });
  symlinkSync('SKILL.md', `${made.root}/src/mcp/skills/e/link.md`);
  const stderr = await refusal(made, 'mcp');
  for (const line of [
    'a/SKILL.md: has a name other than the name of its directory. Rename one of them.',
    'c/SKILL.md: has no name or no description. Write both between two lines of --- at its top.',
    'd/skill.md: is not read: a skill begins in a file named SKILL.md, in capitals. Rename it.',
    'e/link.md: is a symbolic link or a special file, which skills cannot contain. Copy the file instead.',
    'SKILL.md: is not in the directory of a skill. Move it to mcp/skills/<name>/SKILL.md.',
    'g/SKILL.md: is not a valid skill: SKILL.md frontmatter: line 1: SKILL.md must begin with a "---" line.',
  ])
    assert.ok(stderr.includes(`src/mcp/skills/${line}`), `Not reported: ${line}\nIn:\n${stderr}`);
  assert.match(stderr, /FWK521/);
  assert.not.match(stderr, 'contains no skill');
});

test.run();
