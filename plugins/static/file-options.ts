/** What a file is sent as. */
export interface FileOptions {
  /** The directory that the file is in, and that no path leads out of: relative to the project's root, or absolute. */
  readonly root: string;
  /** `true`, or the name to save it under: browsers save it in place of showing it (RFC 6266). */
  readonly download?: boolean | string;
  /** Seconds for which the visitor's own browser keeps it without asking. Without it, and without a Cache-Control of the handler's, it always asks. */
  readonly maxAge?: number;
  /** The media type. Default: that of the extension. */
  readonly type?: string;
}
