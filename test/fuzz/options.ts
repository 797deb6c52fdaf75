import { parseArgs } from 'node:util';

export interface FuzzOptions {
  readonly seconds: number;
  /** The major version of Node to test; undefined for the current one. */
  readonly node: number | undefined;
  readonly seed: number;
  readonly connections: number;
  /** Numbers of exchanges to replay instead of a run. */
  readonly replay: readonly number[];
}

const USAGE = `npm run fuzz -- [--seconds 600] [--node 24] [--seed 1] [--connections 24] [--replay 17,42]`;

/** Reads the command line; ends the process with a message if it is invalid. */
export function optionsOf(args: readonly string[]): FuzzOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string', default: '600' },
        node: { type: 'string' },
        seed: { type: 'string', default: '1' },
        connections: { type: 'string', default: '24' },
        replay: { type: 'string', default: '' },
      },
    });
    return {
      seconds: whole('seconds', values.seconds),
      node: values.node === undefined ? undefined : whole('node', values.node),
      seed: whole('seed', values.seed),
      connections: whole('connections', values.connections),
      replay: values.replay
        .split(',')
        .filter(Boolean)
        .map((text) => whole('replay', text)),
    };
  } catch (cause) {
    console.error(`${cause instanceof Error ? cause.message : String(cause)}\nUsage: ${USAGE}`);
    process.exit(1);
  }
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new RangeError(`--${name} takes whole numbers, not "${text}".`);
  return value;
}
