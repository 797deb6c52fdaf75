/** The test script of `npm init` and `pnpm init`. It always fails, so nobody intends to keep it. */
const PLACEHOLDER = 'echo "Error: no test specified" && exit 1';

export const isPlaceholder = (command: unknown): boolean => command === PLACEHOLDER;
