import { detectContentType } from "./content-type";
import { createTextDocumentBody, maximumDocumentBytes, replaceWithTextBody } from "./schema";

/** How a document is uploaded, through the API and in the dashboard. */
export const documentUploadFormat = {
  maximumBytes: maximumDocumentBytes,
  jsonFields: ["metadata"],
  json: createTextDocumentBody,
  textField: "text",
  detectContentType,
};

/** How a file is uploaded that replaces a document's. */
export const replacementUploadFormat = {
  ...documentUploadFormat,
  jsonFields: [],
  json: replaceWithTextBody,
};
