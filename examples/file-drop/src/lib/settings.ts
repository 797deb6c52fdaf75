/** Settings from environment variables, in bytes and milliseconds. */
export interface Settings {
  /** The folder for the files. */
  readonly folder: string;
  /** The maximum size of a file. */
  readonly maxFile: number;
  /** The limit for all files together, including uploads in progress. */
  readonly maxTotal: number;
  /** The limit for simultaneous uploads. */
  readonly maxUploads: number;
  /** How long an upload may send nothing. */
  readonly stall: number;
  /** How long a file is kept, unless its sender chooses a shorter time. */
  readonly keep: number;
}

const HOUR_MS = 3_600_000;
const UNITS = ['', 'K', 'M', 'G', 'T'];

/** Reads the settings. Throws an error that names the invalid variable. */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const sizeOf = (name: string, fallback: string): number => {
    const [, digits, unit] = /^(\d{1,9})([KMGT]?)$/.exec(env[name] ?? fallback) ?? [];
    if (digits === undefined) throw new Error(`${name} is a size as 500M or 10G, not "${env[name]}".`);
    return Number(digits) * 1024 ** UNITS.indexOf(unit ?? '');
  };
  const countOf = (name: string, fallback: number): number => {
    const value = Number(env[name] ?? fallback);
    if (!Number.isSafeInteger(value) || value < 1)
      throw new Error(`${name} is a whole number from 1 on, not "${env[name]}".`);
    return value;
  };
  return {
    folder: env.DROP_FOLDER ?? 'drop',
    maxFile: sizeOf('DROP_MAX_FILE', '10G'),
    maxTotal: sizeOf('DROP_MAX_TOTAL', '50G'),
    maxUploads: countOf('DROP_MAX_UPLOADS', 50),
    stall: countOf('DROP_STALL_SECONDS', 60) * 1000,
    keep: countOf('DROP_KEEP_HOURS', 24) * HOUR_MS,
  };
}

/** A size in a readable form: 1.5 GB. */
export function readable(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const value = bytes / 1024 ** power;
  return `${value >= 10 || power === 0 ? Math.floor(value) : value.toFixed(1)} ${UNITS[power]}B`;
}
