import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BootError, slotKey } from '../../kernel/index.js';

/** Minimum length of a secret, in characters: 128 bits if they are random hexadecimal digits. */
const MIN_SECRET_CHARACTERS = 32;

const HOW_TO_MAKE_ONE = `node -p "require('node:crypto').randomBytes(32).toString('hex')" prints one.`;

export const SECRETS = slotKey<string | readonly string[]>('session.secrets');

/**
 * The secrets of a project, the signing one first: from the config, else from the comma-separated
 * environment variable SESSION_SECRET; empty without any. Throws a BootError if one is too short;
 * the message doesn't contain the secret.
 */
export function givenSecrets(config: string | readonly string[], environment: string | undefined): string[] {
  const [where, given] =
    config.length > 0
      ? ['session.secrets in fwk.config', [config].flat()]
      : ['SESSION_SECRET', (environment ?? '').split(',')];
  const secrets = given.map((secret) => secret.trim()).filter((secret) => secret !== '');
  for (const { length } of secrets)
    if (length < MIN_SECRET_CHARACTERS)
      throw new BootError({
        message: `${where} has a secret of ${length} characters. Use at least ${MIN_SECRET_CHARACTERS} random characters: ${HOW_TO_MAKE_ONE}`,
        code: 'FWK205',
      });
  return secrets;
}

export const hasSecret = (config: string | readonly string[]): boolean =>
  config.length > 0 || [process.env.SESSION_SECRET, process.env.FWK_SECRET].some((one) => one?.trim());

export const noSecret = (file: string): BootError =>
  new BootError({
    file,
    message: `is stored in a session, but there is no secret to sign its cookie with. Set SESSION_SECRET, FWK_SECRET, or session.secrets in fwk.config: ${HOW_TO_MAKE_ONE}`,
    code: 'FWK206',
  });

/** Whether an environment file in `root`, including an example file, names the secret. */
export const isSecretMentioned = (root: string): boolean =>
  readdirSync(root)
    .filter((name) => name.startsWith('.env'))
    .some((name) => /^\s*#?\s*(?:export\s+)?(?:SESSION|FWK)_SECRET\b/m.test(readIfFile(join(root, name))));

function readIfFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
