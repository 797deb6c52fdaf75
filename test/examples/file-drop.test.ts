import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atExit } from '../harness/cleanup.js';
import { ended, start } from '../harness/fwk.js';
import { build, production } from '../harness/settings.js';
import { copyOf } from './example.js';

// The file drop over real sockets: files that no memory holds, clients that leave, a disk that is full, downloads that break off.

const MB = 1024 * 1024;
/** FILE_DROP_MB: the more, the surer. */
const LARGE = Number(process.env.FILE_DROP_MB ?? 1024) * MB;
const piece = Buffer.alloc(MB, 'some bytes, and more\n');

const drop = copyOf('file-drop', []);
const test = suite('file drop');
test.before(() => build(drop).then(() => {}));

interface Served {
  readonly url: string;
  readonly folder: string;
  readonly pid: number;
  readonly output: { readonly all: string };
}

/** Serves the built example with its own folder. */
async function served(use: (site: Served) => Promise<void>, folder = newFolder()): Promise<void> {
  const variables = [`DROP_FOLDER=${folder}`, 'DROP_STALL_SECONDS=2'];
  const { child, url, end, output } = await production(drop, 'dist/main.js', process.execPath, variables);
  try {
    await use({ url, folder, pid: child.pid ?? 0, output });
  } finally {
    child.kill('SIGTERM');
    await end;
  }
  assert.is((await end).status, 0, output.all);
}

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'file-drop-'));
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Begins an upload; without a length it comes in chunks. */
function upload(url: string, name: string, length?: number): http.ClientRequest {
  const headers = length === undefined ? {} : { 'content-length': length };
  // A refused upload may be cut off while it is sent.
  return http.request(`${url}/api/upload/${name}`, { method: 'PUT', headers }).on('error', () => {});
}

const answerOf = async (outgoing: http.ClientRequest) => {
  const [response] = (await once(outgoing, 'response')) as [http.IncomingMessage];
  return { status: response.statusCode, body: JSON.parse(await text(response)) as Record<string, string> };
};

/** Writes until all is sent, or the connection ends. */
async function pour(outgoing: http.ClientRequest, size: number): Promise<void> {
  for (let sent = 0; sent < size && !outgoing.destroyed; sent += piece.length)
    if (!outgoing.write(piece)) await Promise.race([once(outgoing, 'drain'), once(outgoing, 'close')]);
}

/** Resolves when no file of the folder matches `isLeft`. */
async function gone(folder: string, isLeft = (_name: string) => true): Promise<void> {
  const watcher = watch(folder);
  const signal = AbortSignal.timeout(10_000);
  try {
    while (readdirSync(folder).some(isLeft)) await once(watcher, 'change', { signal });
  } finally {
    watcher.close();
  }
}

const memory = (pid: number, field: string) =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) *
  1024;

const measured = existsSync('/proc/self/status') ? test : test.skip;
measured(`${LARGE / MB} MB are uploaded and downloaded in constant memory`, () =>
  served(async ({ url, pid, folder }) => {
    const before = memory(pid, 'VmRSS');
    const outgoing = upload(url, 'large.bin', LARGE);
    const answered = answerOf(outgoing);
    await pour(outgoing, LARGE);
    outgoing.end();
    const { status, body } = await answered;
    assert.equal([status, Number(body.size)], [201, LARGE]);
    let size = 0;
    for await (const bytes of (await fetch(url + body.url)).body ?? []) size += bytes.length;
    assert.is(size, LARGE);
    const peak = memory(pid, 'VmHWM');
    console.log(`${LARGE / MB} MB: ${before / MB} MB before, ${peak / MB} MB at most`);
    assert.ok(peak - before < 80 * MB, `${before} bytes before, ${peak} at most`);
    assert.is(readdirSync(folder).length, 2);
  }),
);

test('an aborted or stalled upload leaves no file', () =>
  served(async ({ url, folder, output }) => {
    const leaving = upload(url, 'half.bin', 64 * MB);
    await pour(leaving, 32 * MB);
    assert.ok(readdirSync(folder).some((name) => name.endsWith('.part')));
    leaving.destroy();
    await gone(folder);

    const stalling = upload(url, 'stalls.bin');
    stalling.write(piece);
    const { status, body } = await answerOf(stalling);
    assert.equal([status, body.message], [408, 'The upload sent no data for 2 seconds.']);
    stalling.destroy();
    await gone(folder);
    const space = (await (await fetch(`${url}/api/space`)).json()) as { used: number };
    assert.is(space.used, 0);
    assert.not.match(output.all, /failed|Error/);
  }));

test('a full disk is reported in one response', async () => {
  const folder = newFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${24 * MB}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return console.log('Only root can mount the small disk that this test fills.');
  }
  atExit(() => execFileSync('umount', ['--lazy', folder]));
  await served(async ({ url, output }) => {
    const full = 'There is not enough space for this file. Try again later, or send a smaller file.';
    const announced = upload(url, 'announced.bin', 100 * MB);
    announced.flushHeaders();
    assert.equal(await answerOf(announced), { status: 507, body: { message: full } });
    announced.destroy();
    const chunked = upload(url, 'chunked.bin');
    const answered = answerOf(chunked);
    await Promise.race([pour(chunked, 100 * MB), answered]);
    assert.equal(await answered, { status: 507, body: { message: full } });
    chunked.destroy();
    await gone(folder);
    // An upload within the limit continues.
    const small = upload(url, 'small.bin', MB);
    small.end(piece);
    assert.is((await answerOf(small)).status, 201);
    assert.not.match(output.all, /failed|Error/);
  }, folder);
});

test('curl resumes an interrupted download', () =>
  served(async ({ url }) => {
    const outgoing = upload(url, 'film.bin', 8 * MB);
    const answered = answerOf(outgoing);
    await pour(outgoing, 8 * MB);
    outgoing.end();
    const { body } = await answered;
    const folder = newFolder();
    const curl = (...args: string[]) =>
      ended(start('curl', ['-sS', '-o', 'film.bin', ...args], folder), 'curl');
    await curl('--range', '0-3000000', url + body.url);
    assert.is(readFileSync(path.join(folder, 'film.bin')).length, 3_000_001);
    const rest = await curl('-C', '-', url + body.url);
    assert.is(rest.status, 0, rest.stderr);
    const sum = await ended(start('sha256sum', ['film.bin'], folder), 'sha256sum');
    assert.is(sum.stdout.split(' ')[0], body.sha256);
  }));

test('its own tests pass', async () => {
  const { status, stdout, stderr } = await ended(start('npm', ['test'], drop.root), 'npm test');
  assert.is(status, 0, stdout + stderr);
  assert.match(stdout, /^\S+ pass 6$/m);
});

test.run();
