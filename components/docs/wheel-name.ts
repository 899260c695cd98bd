import { version } from "@/sdk/src/version";

/** The Python client, with the name that pip requires. Both clients have the same version. */
export const wheelName = `parlance-${version}-py3-none-any.whl`;
