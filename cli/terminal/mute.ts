/** Run project code without its output, because stdout is for the table. */
export async function withoutOutput<T>(run: () => Promise<T>): Promise<T> {
  const unmute = mute();
  try {
    return await run();
  } finally {
    unmute();
  }
}

let muted = 0;
let restore = (): void => {};

/** Discard console and stdout output until each returned function has been called. */
export function mute(): () => void {
  muted += 1;
  if (muted === 1) restore = silence();
  let isMuted = true;
  return () => {
    if (!isMuted) return;
    isMuted = false;
    muted -= 1;
    if (muted === 0) restore();
  };
}

function silence(): () => void {
  const { log, info, debug, warn, error } = console;
  const { stdout } = process;
  const { write, end } = stdout;
  const lose = (): void => {};
  const loseWritten = (...given: unknown[]): true => {
    const done = given.find((one) => typeof one === 'function');
    if (done) process.nextTick(done);
    return true;
  };
  Object.assign(console, { log: lose, info: lose, debug: lose, warn: lose, error: lose });
  Object.assign(stdout, { write: loseWritten, end: loseWritten });
  return () => {
    Object.assign(console, { log, info, debug, warn, error });
    Object.assign(stdout, { write, end });
  };
}
