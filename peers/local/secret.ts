import { BootError } from '../../kernel/index.js';

/** The environment variable from which all secrets of an app are derived. */
const VARIABLE = 'FWK_SECRET';
const MIN_CHARACTERS = 32;
const HOW_TO_MAKE_ONE = `node -p "require('node:crypto').randomBytes(32).toString('hex')" prints one.`;

/** The text of FWK_SECRET; undefined where there is none. Throws BootError for one that is too short, without repeating it. */
export function givenSecret(): string | undefined {
  const given = process.env[VARIABLE]?.trim() || undefined;
  if (given !== undefined && given.length < MIN_CHARACTERS)
    throw new BootError({
      message: `${VARIABLE} has ${given.length} characters. Make it at least ${MIN_CHARACTERS} random ones: ${HOW_TO_MAKE_ONE}`,
      code: 'FWK205',
    });
  return given;
}

/** What stands in for FWK_SECRET where one process, or the one that starts all others, can make it up. */
export const randomSecret = (): string => crypto().randomBytes(32).toString('hex');

/** Derives the secret for one purpose. It does not reveal the secrets for other purposes. */
export const derive = (secret: string, purpose: string): string =>
  crypto().createHmac('sha256', secret).update(`fwkit:${purpose}`).digest('hex');

/** The error of processes on several machines that have no secret in common. */
export const noCommonSecret = (engine: string, purpose: string): BootError =>
  new BootError({
    message: `${VARIABLE} is not set, and ${engine} connects machines, which have to agree on a secret for ${purpose}. Set it to the same text of at least ${MIN_CHARACTERS} characters on all of them: ${HOW_TO_MAKE_ONE}`,
    code: 'FWK207',
  });

/** Node's crypto module, loaded when it is first needed: an import would cost every command 2 ms. */
export const crypto = () => process.getBuiltinModule('node:crypto');
