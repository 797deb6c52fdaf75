import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, Buffer>(scrypt);
const KEY_BYTES = 32;

/** The stored form of a password: `<salt>.<key>`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, KEY_BYTES);
  return [salt, key].map((bytes) => bytes.toString('base64url')).join('.');
}

/** Whether `password` matches the stored password. */
export async function isPassword(password: string, kept: string): Promise<boolean> {
  const [salt = Buffer.alloc(0), key] = kept.split('.').map((part) => Buffer.from(part, 'base64url'));
  return key !== undefined && timingSafeEqual(key, await derive(password, salt, KEY_BYTES));
}
