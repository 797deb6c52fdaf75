import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { atExit } from './cleanup.js';
import { freePort } from './free-port.js';
import { patience } from './patience.js';

/** The proxies that have a configuration in `examples/deploy`, and their file there. */
const FILES = { nginx: 'nginx.conf', haproxy: 'haproxy.cfg', caddy: 'Caddyfile' } as const;
export type ProxyName = keyof typeof FILES;
export const PROXIES: readonly ProxyName[] = ['nginx', 'haproxy', 'caddy'];

const DEPLOY = path.join(import.meta.dirname, '../../../examples/deploy');

/** A proxy that runs with its file from `examples/deploy`, with the ports and certificate of the test. */
export interface RunningProxy {
  /** `https://localhost:…` */
  readonly url: string;
  readonly ca: Buffer;
  /** The proxy's log. */
  readonly log: () => string;
  stop(): void;
}

export const isInstalled = (name: ProxyName): boolean =>
  spawnSync('/bin/sh', ['-c', `command -v ${name}`]).status === 0;

/** Starts a proxy in front of two ports of this machine, `backends`. Resolves when it answers. */
export async function proxy(name: ProxyName, backends: readonly [number, number]): Promise<RunningProxy> {
  const dir = mkdtempSync(path.join(tmpdir(), `fwk-${name}-`));
  atExit(() => rmSync(dir, { recursive: true, force: true }));
  const certificate = certificateIn(dir);
  const port = await freePort();
  const shown = readFileSync(path.join(DEPLOY, FILES[name]), 'utf8');
  const written = shown
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${backends[0]}`)
    .replaceAll('127.0.0.1:3001', `127.0.0.1:${backends[1]}`)
    .replace(/^( *(?:listen|bind)) :?443/m, `$1 127.0.0.1:${port}`)
    .replace(/^shop\.example/m, `{\n  admin off\n  auto_https off\n}\nhttps://localhost:${port}`)
    .replaceAll('/etc/ssl/app.', `${dir}/app.`)
    .replaceAll('/etc/haproxy/app.pem', `${dir}/app.pem`);
  const file = path.join(dir, FILES[name]);
  writeFileSync(file, written);
  const child = run(name, file, dir);
  atExit(() => child.kill('SIGKILL'));
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  const url = `https://localhost:${port}`;
  for (const until = Date.now() + patience(); !(await answers(port, certificate)); await setTimeout(20))
    if (child.exitCode !== null || Date.now() > until) throw new Error(`${name} does not start:\n${log}`);
  return { url, ca: certificate, log: () => log, stop: () => void child.kill('SIGTERM') };
}

function run(name: ProxyName, file: string, dir: string): ChildProcess {
  const env = { ...process.env, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir };
  const commands: Record<ProxyName, () => readonly [string, ...string[]]> = {
    nginx: () => nginxCommand(file, dir),
    haproxy: () => ['haproxy', '-db', '-f', file],
    caddy: () => ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'],
  };
  const [command, ...args] = commands[name]();
  return spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The command that runs nginx with a file of its conf.d, included where Debian's nginx.conf includes conf.d. */
export function nginxCommand(file: string, dir: string): readonly [string, ...string[]] {
  const whole = path.join(dir, 'whole.conf');
  mkdirSync(path.join(dir, 'tmp'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (part) => `${part}_temp_path ${dir}/tmp/${part};`,
  );
  // The worker processes of nginx need access to the private directory.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  writeFileSync(
    whole,
    `${user} daemon off; worker_processes 1; pid ${dir}/pid; error_log stderr warn; events {}
     http { access_log off; ${temporary.join(' ')} include ${file}; }`,
  );
  return ['nginx', '-e', 'stderr', '-c', whole];
}

/** Creates a self-signed certificate; `app.pem` also has its key. */
function certificateIn(dir: string): Buffer {
  const at = (kind: string) => path.join(dir, `app.${kind}`);
  execFileSync(
    'openssl',
    [
      ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1'.split(' '),
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
      ...['-keyout', at('key'), '-out', at('crt')],
    ],
    { stdio: 'ignore' },
  );
  const certificate = readFileSync(at('crt'));
  writeFileSync(at('pem'), Buffer.concat([certificate, readFileSync(at('key'))]));
  return certificate;
}

/** Whether the app behind it answers. */
const answers = (port: number, ca: Buffer): Promise<boolean> =>
  new Promise((resolve) =>
    request({ host: 'localhost', port, path: '/readyz', ca, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    })
      .on('error', () => resolve(false))
      .end(),
  );
