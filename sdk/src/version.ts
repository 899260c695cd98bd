/** Of this package; a test holds it to package.json. */
export const version = "1.0.0";
