import { detectContentType } from "./content-type";
import { createTextDocumentBody, maximumDocumentBytes } from "./schema";

/** How a document is uploaded, through the API and in the dashboard. */
export const documentUploadFormat = {
  maximumBytes: maximumDocumentBytes,
  jsonFields: ["metadata"],
  json: createTextDocumentBody,
  textField: "text",
  detectContentType,
};
