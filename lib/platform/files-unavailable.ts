/** Files cannot be stored or read at the moment. The message names the place and the cause. */
export class FilesUnavailable extends Error {}
