import { test } from "vitest";
import { expectNothingLost } from "./expect-nothing-lost";

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`nothing acknowledged is lost and nothing is done twice, through twenty kills (seed ${seed})`, () =>
  expectNothingLost({ seed, kills: 20, crashes: 1, writes: 500, seconds: 10, writers: 16 }));
