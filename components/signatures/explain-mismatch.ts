export type BodyAndSecret = { body: string; secret: string };

/**
 * When no signature matches, tries the most common accidental changes to bodies and secrets.
 * @returns the sentence for the first change with which one matches; null if none does
 */
export async function explainMismatch(
  given: BodyAndSecret,
  matches: (candidate: BodyAndSecret) => Promise<boolean>,
): Promise<string | null> {
  const secrets = secretVariants(given.secret);
  const bodies = bodyVariants(given.body);
  for (const [secret, text] of secrets) if (await matches({ ...given, secret })) return text;
  for (const [body, text] of bodies) if (await matches({ ...given, body })) return text;
  for (const [secret, ofSecret] of secrets) {
    for (const [body, ofBody] of bodies)
      if (await matches({ body, secret })) return `${ofSecret} ${ofBody}`;
  }
  return null;
}

type Variant = [changed: string, explanation: string];

function secretVariants(secret: string): Variant[] {
  const bare = secret.trim().replace(/^(['"])(.*)\1$/, "$2");
  const variants: Variant[] = [
    [bare, "The signature matches the secret without the characters around it."],
    [
      `whsec_${bare}`,
      "The signature matches the secret with whsec_ in front. The prefix is part of the key.",
    ],
    [
      bare.replace(/^whsec_/, ""),
      "The signature matches the secret without whsec_. The service does not sign like that, so something else signed this.",
    ],
  ];
  return variants.filter(([changed]) => changed !== secret && changed !== "");
}

const raw = "Verify the raw bytes of the body, before anything parses them.";

function bodyVariants(body: string): Variant[] {
  const variants: Variant[] = [
    [
      body.replace(/\n$/, ""),
      `The signature matches the body without its final line break, so something added it. ${raw}`,
    ],
    [
      `${body}\n`,
      `The signature matches the body with a final line break, so something removed it. ${raw}`,
    ],
    [
      body.replace(/^\uFEFF/, ""),
      `The signature matches the body without the byte order mark at its start, so something added it. ${raw}`,
    ],
    [
      body.trim(),
      `The signature matches the body without the white space around it, so something added it. ${raw}`,
    ],
    [
      body.replaceAll("\n", "\r\n"),
      `The signature matches the body with CRLF line endings. Browsers turn these into LF in text fields. If your receiver gets CRLF, the delivery is valid.`,
    ],
  ];
  const value = parseJson(body);
  if (typeof value === "string")
    variants.push([
      value,
      `The signature matches the text inside the JSON string: the body was serialized as a string again. ${raw}`,
    ]);
  if (value !== undefined) {
    const printed = JSON.stringify(value);
    const note = `the body was parsed and serialized again. ${raw}`;
    variants.push(
      [printed, `The signature matches the same JSON without white space: ${note}`],
      [
        printed.replace(/[\u0080-\uffff]/g, escaped),
        `The signature matches the same JSON with characters escaped as \\u…: ${note}`,
      ],
    );
  }
  return variants.filter(([changed]) => changed !== body);
}

const escaped = (character: string) =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** @returns undefined if it is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
