/** The exit codes of the process. Any other code means that it did not exit by itself. */
export const exitCodes = { ready: 0, empty: 64, encrypted: 65, invalid_file: 66, too_large: 67 };

/** The longest text that is extracted from a file: the size of the largest text file. */
export const maximumCharacters = 20 * 1_024 ** 2;

export class UnreadableFile extends Error {
  /** @param {"empty" | "encrypted" | "invalid_file" | "too_large"} code */
  constructor(code) {
    super(code);
    this.code = code;
  }
}
