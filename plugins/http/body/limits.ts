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
}
