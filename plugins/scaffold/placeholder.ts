/** What `npm init` and `pnpm init` write where a script for tests would be. It only fails, so that nobody means to keep it. */
const PLACEHOLDER = 'echo "Error: no test specified" && exit 1';

export const isPlaceholder = (command: unknown): boolean => command === PLACEHOLDER;
