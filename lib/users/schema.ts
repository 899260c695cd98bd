import { z } from "zod";
import { text } from "@/lib/platform/schema";
import { isCommonPassword } from "./common-passwords/is-common-password";

export const minimumPasswordLength = 12;
/** Longer than any passphrase, and short enough that hashing it costs no more than any other. */
const maximumPasswordLength = 200;

/** Lower-cased. */
export const email = text(254).trim().toLowerCase().pipe(z.email("must be a valid email address"));

const tooLong = `must have at most ${maximumPasswordLength} characters`;
const notText = "must not contain invalid characters";

/**
 * Two keyboards can type the same accented letter with different code points, so a password is
 * normalized first. Five code points per character leave room for letters with several accents. A
 * longer password is refused without normalizing it.
 */
const normalized = text(maximumPasswordLength * 5, tooLong)
  .refine((password) => password.isWellFormed(), { error: notText, abort: true })
  .normalize("NFKC");
const characters = (password: string) => [...password].length;

const newPassword = normalized
  .refine((password) => characters(password) >= minimumPasswordLength, {
    error: `must have at least ${minimumPasswordLength} characters`,
    abort: true,
  })
  .refine((password) => characters(password) <= maximumPasswordLength, {
    error: tooLong,
    abort: true,
  })
  .refine((password) => new Set(password).size >= 5, {
    error: "must have at least five different characters",
    abort: true,
  })
  .refine(
    (password) => !isCommonPassword(password),
    "must be less common: this password is on the lists that attackers try first",
  );

/** The first thing that an attacker would guess. */
const isAddress = (password: string, address: string) => password.toLowerCase() === address;

const otherThanAddress = "must not be your email address";

const newPasswordOf = (address: string) =>
  newPassword.refine((password) => !isAddress(password, address), otherThanAddress);

/**
 * Anything that a mail client turns into a link: a scheme, `www.`, `@` inside a word, a dot before two
 * letters or more, or an IPv4 address. Names appear in mails to people who did not request one.
 * Initials ("J.R.R. Tolkien") pass.
 */
const urlPattern = /:\/\/|\bwww\.|\S@\S|[\p{L}\p{N}-][.。]\p{L}{2,}|\d\.\d+\.\d+\.\d/iu;
/**
 * Names in some scripts need invisible joiners. Like look-alikes of a dot, they would hide a URL
 * from the pattern but not from a reader.
 */
const looksLikeUrl = (name: string) =>
  urlPattern.test(name.normalize("NFKC").replaceAll(/\p{Cf}/gu, ""));

/**
 * Line breaks, and characters that change the direction of text or hide in it. Joiners (U+200C,
 * U+200D) are parts of words.
 */
const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;

const name = text(100)
  .trim()
  .min(1)
  .refine((given) => given.isWellFormed() && !given.includes("\u0000"), notText)
  .refine(
    (given) => !controlCharacters.test(given),
    "must not contain line breaks or invisible characters",
  )
  .refine((given) => !looksLikeUrl(given), "must not look like a web or email address");

export const changePasswordInput = (address: string) =>
  z.strictObject({
    /** As typed. It is checked as at sign-in, where a malformed password counts as a wrong one. */
    current: z.string(),
    password: newPasswordOf(address),
  });

export const resetRequestInput = z.strictObject({ email });
export const emailChangeInput = z.strictObject({ email });

/** For a user who has no account yet and whose address is known. */
export const newPersonInput = (address: string) =>
  z.strictObject({
    name,
    password: newPasswordOf(address),
  });

export const resetPasswordInput = (address: string) =>
  z.strictObject({ password: newPasswordOf(address) });

/**
 * Checks only what is true of every stored account. Anything else gets the same response as a wrong
 * password.
 */
export const signInInput = z.object({
  email,
  password: normalized.refine(
    (password) => password !== "" && characters(password) <= maximumPasswordLength,
  ),
});

export const signUpInput = z
  .object({
    organization: name,
    name,
    email,
    password: newPassword,
  })
  .refine(({ email, password }) => !isAddress(password, email), {
    path: ["password"],
    message: otherThanAddress,
  });

/** The input with which an operator creates an owner, who then sets a password with a link. */
export const newOwnerInput = z.object({
  email,
  organization: name,
  name,
});

/** The name of a user. */
export const personInput = z.strictObject({ name });

/** The name of a new organization, or a new name for one. */
export const organizationInput = z.strictObject({ name });

export type SignUp = z.output<typeof signUpInput>;
