/** The most that a body may have. */
export interface BodyLimits {
  /** Bytes that are read into memory. */
  readonly bodyLimit: number;
  /** Parts of one multipart body: fields and files. */
  readonly maxParts: number;
  /** Files of one multipart body. */
  readonly maxFiles: number;
  /** Bytes in the name of a multipart field. */
  readonly maxFieldName: number;
  /** Fields of a form, urlencoded or multipart. */
  readonly maxFields: number;
  /** Levels of lists and objects in JSON. */
  readonly maxJsonDepth: number;
}
