import { z } from "zod";
import { text } from "@/lib/platform/schema";
import { isCommonPassword } from "./common-passwords/is-common-password";

export const minimumPasswordLength = 12;
/** Longer than any passphrase, and short enough that hashing it costs no more than any other. */
const maximumPasswordLength = 200;

/** Lower-cased. */
export const email = text(254, "use an address of at most 254 characters")
  .trim()
  .toLowerCase()
  .pipe(z.email("give an e-mail address such as ada@example.com"));

const tooLong = `use at most ${maximumPasswordLength} characters`;
const notText = "contains characters that are not text";

/**
 * Two keyboards can spell one accented letter with different code points, so a password is brought
 * to one form first. Five code units a character leave room for letters with several accents; more
 * than that is refused unread.
 */
const normalized = text(maximumPasswordLength * 5, tooLong)
  .refine((password) => password.isWellFormed(), { error: notText, abort: true })
  .normalize("NFKC");
const characters = (password: string) => [...password].length;

const newPassword = normalized
  .refine((password) => characters(password) >= minimumPasswordLength, {
    error: `use at least ${minimumPasswordLength} characters`,
    abort: true,
  })
  .refine((password) => characters(password) <= maximumPasswordLength, {
    error: tooLong,
    abort: true,
  })
  .refine((password) => new Set(password).size >= 5, {
    error: "use at least five different characters",
    abort: true,
  })
  .refine(
    (password) => !isCommonPassword(password),
    "use something less common: this password is on the lists that attackers try first",
  );

/** The first thing that anybody would guess. */
const isAddress = (password: string, address: string) => password.toLowerCase() === address;

const otherThanAddress = "use something other than your e-mail address";

const newPasswordOf = (address: string) =>
  newPassword.refine((password) => !isAddress(password, address), otherThanAddress);

/**
 * Something a mail client turns into a link: a scheme, `www.`, `@` inside a word, a dot before two
 * letters or more, or an IPv4 address. Names appear in mails to people who never asked for one.
 * Initials ("J.R.R. Tolkien") pass.
 */
const urlPattern = /:\/\/|\bwww\.|\S@\S|[\p{L}\p{N}-][.。]\p{L}{2,}|\d\.\d+\.\d+\.\d/iu;
/**
 * Invisible joiners, which names in some scripts need, and look-alikes of a dot hide a URL from the
 * pattern, not from people.
 */
const looksLikeUrl = (name: string) =>
  urlPattern.test(name.normalize("NFKC").replaceAll(/\p{Cf}/gu, ""));

/**
 * Line breaks, and characters that change the direction of text or hide in it. Joiners (U+200C,
 * U+200D) are parts of words.
 */
const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;

const name = (what: string) =>
  text(100, "use at most 100 characters")
    .trim()
    .min(1, `give ${what}`)
    .refine((given) => given.isWellFormed() && !given.includes("\u0000"), notText)
    .refine(
      (given) => !controlCharacters.test(given),
      "must not contain line breaks or invisible characters",
    )
    .refine((given) => !looksLikeUrl(given), "must not look like a web or email address");

export const changePasswordInput = (address: string) =>
  z.strictObject({
    /**
     * As it was typed: it is checked like one of a sign-in, and a shape that no password has counts
     * as a wrong one.
     */
    current: z.string(),
    password: newPasswordOf(address),
  });

export const resetRequestInput = z.strictObject({ email });

/** Of somebody who has no account yet, and whose address is known. */
export const newPersonInput = (address: string) =>
  z.strictObject({
    name: name("your name"),
    password: newPasswordOf(address),
  });

export const resetPasswordInput = (address: string) =>
  z.strictObject({ password: newPasswordOf(address) });

/**
 * Only what every stored account fulfils: the answer to anything else is the answer to a wrong
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
    organization: name("the name of your organization"),
    name: name("your name"),
    email,
    password: newPassword,
  })
  .refine(({ email, password }) => !isAddress(password, email), {
    path: ["password"],
    message: otherThanAddress,
  });

/** What an operator gives to create an owner, who then sets a password by a link. */
export const newOwnerInput = z.object({
  email,
  organization: name("the name of the organization"),
  name: name("the owner's name"),
});

/** How somebody is called. */
export const personInput = z.strictObject({ name: name("your name") });

/** The name of an organization that somebody makes or renames. */
export const organizationInput = z.strictObject({ name: name("the name of your organization") });

export type SignUp = z.output<typeof signUpInput>;
