import { z } from 'zod';

export declare const Draft: z.ZodObject<{ title: z.ZodString; text: z.ZodDefault<z.ZodString> }>;
export declare const Note: z.ZodObject<{
  title: z.ZodString;
  text: z.ZodDefault<z.ZodString>;
  id: z.ZodInt;
  at: z.ZodISODateTime;
}>;
export declare const Id: z.ZodObject<{ id: z.ZodCoercedNumber<unknown> }>;

export declare class TitleTaken extends Error {}

export interface Stored extends z.infer<typeof Note> {
  readonly internal: string;
}

export declare class Notes {
  list(): Stored[];
  find(id: number): Stored | undefined;
  /** Throws TitleTaken. */
  add(draft: z.infer<typeof Draft>): Stored;
  /** Throws TitleTaken. */
  replace(id: number, draft: z.infer<typeof Draft>): Stored | undefined;
  remove(id: number): boolean;
}

/** Whether an Authorization header contains the key from the environment variable API_KEY. */
export declare function isKey(header?: string): boolean;
