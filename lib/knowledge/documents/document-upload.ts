import { detectContentType } from "./content-type";
import { createTextDocumentBody, maximumDocumentBytes } from "./schema";

/** How a document is sent, to the API and from the dashboard alike. */
export const documentUploadFormat = {
  maximumBytes: maximumDocumentBytes,
  jsonFields: ["metadata"],
  json: createTextDocumentBody,
  textField: "text",
  detectContentType,
};
