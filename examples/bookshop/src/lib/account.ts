import { z } from 'zod';

/** An account as its owner sees it, without the password. */
export const Account = z.object({
  id: z.int(),
  email: z.string(),
  name: z.string(),
  admin: z.boolean(),
});
export type Account = z.infer<typeof Account>;
