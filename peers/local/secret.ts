import { BootError } from '../../kernel/index.js';

const VARIABLE = 'FWK_SECRET';
const MIN_CHARACTERS = 32;
const HOW_TO_MAKE_ONE = `node -p "require('node:crypto').randomBytes(32).toString('hex')" prints one.`;

/** The value of FWK_SECRET; undefined if it is not set. Throws BootError if it is too short; the message does not contain it. */
export function givenSecret(): string | undefined {
  const given = process.env[VARIABLE]?.trim() || undefined;
  if (given !== undefined && given.length < MIN_CHARACTERS)
    throw new BootError({
      message: `${VARIABLE} has only ${given.length} characters. Set it to at least ${MIN_CHARACTERS} random characters: ${HOW_TO_MAKE_ONE}`,
      code: 'FWK205',
    });
  return given;
}

/** Replaces FWK_SECRET if all processes are on one machine: the process that starts the others generates it. */
export const randomSecret = (): string => crypto().randomBytes(32).toString('hex');

export const derive = (secret: string, purpose: string): string =>
  crypto().createHmac('sha256', secret).update(`fwkit:${purpose}`).digest('hex');

export const noCommonSecret = (engine: string, purpose: string): BootError =>
  new BootError({
    message: `${VARIABLE} is not set, but machines connected by ${engine} need a common secret for ${purpose}. Set it on every machine to the same random text of at least ${MIN_CHARACTERS} characters: ${HOW_TO_MAKE_ONE}`,
    code: 'FWK207',
  });

/** Node's crypto module, loaded on first use: an import would cost every command 2 ms. */
export const crypto = () => process.getBuiltinModule('node:crypto');
