/** The names of an app's keys and channel. */
export interface Names {
  readonly channel: string;
  memory(name: string, key: string): string;
  lock(name: string): string;
  readonly token: string;
  log(name: string): string;
}

/** Escapes the colon, which separates the parts of a key. */
const part = (text: string): string => text.replaceAll('%', '%25').replaceAll(':', '%3A');

export function namesOf(app: string): Names {
  const together = `fwk:{${app}}`;
  return {
    channel: channelOf(app),
    memory: (name, key) => `fwk:${app}:memory:${part(name)}:${key}`,
    lock: (name) => `${together}:lock:${name}`,
    token: `${together}:token`,
    log: (name) => `fwk:${app}:log:${name}`,
  };
}

export const channelOf = (app: string): string => `fwk:{${app}}:peers`;
