/** What `npm init` and `pnpm init` write where a script for tests would be. It only fails, so that nobody means to keep it. */
const PLACEHOLDER = 'echo "Error: no test specified" && exit 1';

/** Whether the command of a script stands for one that is missing. */
export const isPlaceholder = (command: unknown): boolean => command === PLACEHOLDER;
