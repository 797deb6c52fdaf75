/** Of `application/`. */
const APPLICATION =
  /^(?:json|javascript|ecmascript|x-javascript|xml|wasm|x-ndjson|jsonl|yaml|toml|sql|graphql|rtf|x-sh|vnd\.ms-fontobject)$/;
const OTHERS = new Set([
  'font/ttf',
  'font/otf',
  'font/collection',
  'font/sfnt',
  'image/svg+xml',
  'image/bmp',
  'image/x-icon',
  'image/vnd.microsoft.icon',
]);
/** Structured syntaxes that are text (RFC 6839). */
const SUFFIXES = ['+json', '+xml', '+yaml', '+text'];

const EVENTS = 'text/event-stream';

/** Whether bodies of a media type get smaller by compression. What holds pictures, sound, archives or woff2 is compressed already. */
export function isCompressible(type: string): boolean {
  if (type === 'application/json') return true;
  const end = type.indexOf(';');
  const plain = (end === -1 ? type : type.slice(0, end)).trim().toLowerCase();
  return (
    plain.startsWith('text/') ||
    (plain.startsWith('application/') && APPLICATION.test(plain.slice('application/'.length))) ||
    OTHERS.has(plain) ||
    SUFFIXES.some((suffix) => plain.endsWith(suffix))
  );
}

export const isEventStream = (type: string): boolean => type.toLowerCase().startsWith(EVENTS);
