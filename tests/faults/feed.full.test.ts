import { expect, test } from "vitest";
import { runFeed } from "./run-feed";

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`a client of the ascending event feed misses nothing and sees nothing twice, while web processes are killed (seed ${seed})`, async () => {
  const { violations, figures } = await runFeed({
    seed,
    seconds: 5,
    pollers: 8,
    writers: 12,
    webs: 2,
    kills: 2,
  });
  expect({ violations, missed: figures.missed, doubled: figures.doubled }).toEqual({
    violations: [],
    missed: 0,
    doubled: 0,
  });
  expect(figures.events).toBeGreaterThan(0);
});
