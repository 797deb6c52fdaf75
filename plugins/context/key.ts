/**
 * The property of `ctx` that a file provides, from its path below `services/` or `di/`: `user-store.ts` is
 * `userStore`, `billing/invoices.ts` is `billingInvoices`, and `billing/index.ts` is `billing`.
 */
export function ctxKeyOf(file: string): string {
  const path = file.slice(file.indexOf('/') + 1).replace(/(\/index)?\.m?[jt]s$/, '');
  const [first = '', ...rest] = path.split(/[^\p{L}\p{N}$]+/u).filter((word) => word !== '');
  return first.charAt(0).toLowerCase() + first.slice(1) + rest.map(capitalise).join('');
}

const capitalise = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
