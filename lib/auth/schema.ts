import { z } from "zod";

export const minimumPasswordLength = 12;
/** Longer than any passphrase, and short enough that nobody sends megabytes to be hashed. */
const maximumPasswordLength = 200;

/** Lower-cased. */
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, "use an address of at most 254 characters")
  .pipe(z.email("give an e-mail address such as ada@example.com"));

/** Two keyboards can spell one accented letter with different code points, so a password is brought to one form first. */
const normalized = z.string().refine(isWellFormed, "contains characters that are not text").normalize("NFKC");
const characters = (text: string) => [...text].length;

const newPassword = normalized
  .refine((text) => characters(text) >= minimumPasswordLength, `use at least ${minimumPasswordLength} characters`)
  .refine((text) => characters(text) <= maximumPasswordLength, `use at most ${maximumPasswordLength} characters`)
  .refine((text) => new Set(text).size >= 5, "use at least five different characters");

/** The first thing that anybody would guess. */
const isAddress = (password: string, address: string) => password.toLowerCase() === address;

const otherThanAddress = "use something other than your e-mail address";

const newPasswordOf = (address: string) => newPassword.refine((password) => !isAddress(password, address), otherThanAddress);

const name = (what: string) =>
  z
    .string()
    .trim()
    .min(1, `give ${what}`)
    .max(100, "use at most 100 characters")
    .refine((text) => isWellFormed(text) && !text.includes("\u0000"), "contains characters that are not text");

export const changePasswordInput = (address: string) =>
  z.strictObject({
    current: z.string().max(1_000),
    password: newPasswordOf(address),
  });

export const resetRequestInput = z.strictObject({ email });

/** Of somebody who has no account yet, and whose address is known. */
export const newPersonInput = (address: string) =>
  z.strictObject({
    name: name("your name"),
    password: newPasswordOf(address),
  });

export const resetPasswordInput = (address: string) => z.strictObject({ password: newPasswordOf(address) });

/** Only what every stored account fulfils: the answer to anything else is the answer to a wrong password. */
export const signInInput = z.object({
  email,
  password: normalized.refine((text) => text !== "" && characters(text) <= maximumPasswordLength),
});

export const signUpInput = z
  .object({
    organisation: name("the name of your organisation"),
    name: name("your name"),
    email,
    password: newPassword,
  })
  .refine(({ email, password }) => !isAddress(password, email), { path: ["password"], message: otherThanAddress });

/** How somebody is called. */
export const personInput = z.strictObject({ name: name("your name") });

/** The name of an organisation that somebody makes or renames. */
export const organisationInput = z.strictObject({ name: name("the name of your organisation") });

export type SignUp = z.output<typeof signUpInput>;

/** Without lone surrogates, which PostgreSQL would quietly replace. */
function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}
