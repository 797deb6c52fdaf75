import { readPackage } from '../../../loader/index.js';
import type { Hub } from '../hub.js';

/** The media type of a card. */
const CARD = 'application/mcp-server-card+json';
/** The media types of the documents that describe the server to clients before they connect, by their paths. */
export const CARD_TYPES: ReadonlyMap<string, string> = new Map([
  ['/mcp/server-card', CARD],
  ['/.well-known/ai-catalog.json', 'application/ai-catalog+json'],
]);

/** A card (SEP-2127), or the catalog that lists it. `url`: the URL of the endpoint. `root`: the folder of package.json. */
export function describeServer(
  type: string,
  { name, version, title }: Hub['info'],
  url: string,
  root: string,
) {
  const { hostname } = new URL(url);
  // A name consists of the domain, backward, and a name of letters, digits, ".", "_" and "-".
  const short = name.replace(/^@[^/]*\//, '').replace(/[^\w.-]/g, '-');
  const domain = hostname
    .replace(/[^\w.-]/g, '')
    .split('.')
    .reverse()
    .join('.');
  const { description } = readPackage(root) ?? {};
  if (type !== CARD) {
    const identifier = `urn:air:${hostname}:${short}`;
    const entry = { identifier, displayName: title ?? short, type: CARD, url: `${url}/server-card` };
    return { specVersion: '0.9', entries: [entry] };
  }
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json',
    name: `${domain}/${short}`,
    version,
    description: (typeof description === 'string' && description.slice(0, 100)) || short,
    ...(title === undefined ? {} : { title }),
    remotes: [{ type: 'streamable-http', url }],
  };
}
