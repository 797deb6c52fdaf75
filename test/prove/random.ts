/** Numbers that follow from a seed. */
export interface Random {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** Mulberry32. */
export function random(seed: number): Random {
  let state = (seed * 0x9e3779b1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    shuffle(items) {
      const mixed = [...items];
      for (let index = mixed.length - 1; index > 0; index -= 1) {
        const other = below(index + 1);
        const [one, two] = [mixed[index], mixed[other]] as [(typeof mixed)[number], (typeof mixed)[number]];
        mixed[index] = two;
        mixed[other] = one;
      }
      return mixed;
    },
  };
}
