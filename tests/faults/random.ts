/** Mulberry32, from 0 to just below 1: the same numbers for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Picks a choice with the probability given by its share. The shares add up to one. */
export function pick<Choice>(shares: (readonly [number, Choice])[], random: () => number): Choice {
  let left = random();
  for (const [share, choice] of shares) {
    left -= share;
    if (left < 0) return choice;
  }
  throw new Error("the shares do not add up to one");
}
