/** The problem of a file whose default export provides nothing. It completes "the file …". */
export const NO_PROVIDER = 'is not a provider. Export default service(…) or di(…).';
