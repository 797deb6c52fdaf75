/** The kind of the routes that say where clients of `/mcp` get a token. */
export const METADATA = 'mcp-auth';

/** What to do about one that a rule is about. */
export const METADATA_ADVICE =
  "Clients read there where to get a token, before they have one. Leave it out: .except('.well-known/**', 'RFC 9728').";
