/** How the process ends. Any other end is one that it did not come to by itself. */
export const exitCodes = { ready: 0, empty: 64, encrypted: 65, invalid_file: 66, too_large: 67 };

/** The longest text that is read out of a file: as much as the longest text file has. */
export const maximumCharacters = 20 * 1_024 ** 2;

export class Unreadable extends Error {
  /** @param {"empty" | "encrypted" | "invalid_file" | "too_large"} code */
  constructor(code) {
    super(code);
    this.code = code;
  }
}
