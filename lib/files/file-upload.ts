import { detectFileType } from "./content-type";
import { createTextFileBody, maximumFileBytes } from "./schema";

/** How a file is uploaded, through the API and in the dashboard. */
export const fileUploadFormat = {
  maximumBytes: maximumFileBytes,
  jsonFields: [],
  json: createTextFileBody,
  textField: "text",
  detectContentType: detectFileType,
};
