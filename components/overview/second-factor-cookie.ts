/** Set while the visitor does not want to see the hint about a second factor. */
export const secondFactorLaterCookie = "second_factor_later";
