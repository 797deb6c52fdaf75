import type { Random } from '../random.js';

/** Longer than any limit of the parsers, and short enough for thousands of runs per second. */
const LONGEST = 4_096;
/** Enough repetitions to reveal quadratic time. */
const REPEATED = 60_000;
const BYTES = [
  0x00, 0x0a, 0x0d, 0x20, 0x22, 0x25, 0x26, 0x2c, 0x2d, 0x2e, 0x2f, 0x3a, 0x3b, 0x3d, 0x5c, 0x7f, 0xc3, 0xff,
];

/** A mutation of one or two known inputs. */
export function mutated(input: Buffer, other: Buffer, words: readonly string[], random: Random): Buffer {
  let made = input;
  for (let left = random.between(1, 4); left > 0; left -= 1) made = once(made, other, words, random);
  // One in a thousand is long.
  if (random.chance(0.1)) return repeated(made, random);
  return made.subarray(0, LONGEST);
}

function once(input: Buffer, other: Buffer, words: readonly string[], random: Random): Buffer {
  const at = random.between(0, input.length);
  const to = Math.min(input.length, at + random.between(1, 8));
  const [head, cut, tail] = [input.subarray(0, at), input.subarray(at, to), input.subarray(to)];
  switch (random.between(0, 6)) {
    case 0:
      return Buffer.concat([head, tail]);
    case 1:
      return Buffer.concat([head, Buffer.from(random.pick(words), 'latin1'), input.subarray(at)]);
    case 2:
      return Buffer.concat([head, Buffer.from(random.pick(words), 'latin1'), tail]);
    case 3:
      return Buffer.concat([head, Buffer.from([random.pick(BYTES)]), input.subarray(at)]);
    case 4:
      return Buffer.concat([head, random.bytes(cut.length), tail]);
    case 5:
      return Buffer.concat([head, cut, cut, tail]);
    default:
      return Buffer.concat([head, other.subarray(random.between(0, other.length))]);
  }
}

function repeated(input: Buffer, random: Random): Buffer {
  const at = random.between(0, input.length);
  const piece = input.subarray(at, at + random.between(1, 6));
  if (piece.length === 0) return input;
  const many = Buffer.alloc(Math.floor(REPEATED / piece.length) * piece.length, piece);
  return Buffer.concat([input.subarray(0, at), many, input.subarray(at)]);
}

/** The shortest input for which `isSame` still holds, found by removing parts. */
export async function shortened(input: Buffer, isSame: (input: Buffer) => Promise<boolean>): Promise<Buffer> {
  let best = input;
  for (let size = Math.ceil(best.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0, tries = 0; at < best.length && tries < 200; tries += 1) {
      const shorter = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      if (await isSame(shorter)) best = shorter;
      else at += size;
    }
  return best;
}
