/**
 * The placeholder that `npm init` and `pnpm init` write as the test script. It always fails, so
 * nobody intends to keep it.
 */
const PLACEHOLDER = 'echo "Error: no test specified" && exit 1';

export const isPlaceholder = (command: unknown): boolean => command === PLACEHOLDER;
