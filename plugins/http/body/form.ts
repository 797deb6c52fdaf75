import { Bytes } from './bytes.js';
import type { FilePart, Part } from './part.js';

/** A multipart form in memory: a key that is repeated has all its values, in order. No prototype. */
export type Form = Readonly<Record<string, FormValue | FormValue[]>>;
type FormValue = string | File;

/** Read all parts into memory; files become web `File`s. */
export async function readForm(parts: AsyncIterable<Part>): Promise<Form> {
  const form: Record<string, FormValue | FormValue[]> = Object.create(null);
  for await (const part of parts) {
    const value = 'stream' in part ? await fileOf(part) : part.value;
    const earlier = form[part.name];
    if (earlier === undefined) form[part.name] = value;
    else if (Array.isArray(earlier)) earlier.push(value);
    else form[part.name] = [earlier, value];
  }
  return form;
}

async function fileOf({ stream, filename, type }: FilePart): Promise<File> {
  const bytes = new Bytes();
  for await (const chunk of stream) bytes.add(chunk);
  return new File([bytes.take()], filename, { type });
}
