/** The most bytes of the reason in a closing frame (RFC 6455 §5.5). */
const MAX_REASON_BYTES = 123;

const SPACE = new Uint8Array(MAX_REASON_BYTES);

/** The beginning of a text that fits into a reason. */
export function shortened(text: string): string {
  const { written } = new TextEncoder().encodeInto(text, SPACE);
  return new TextDecoder().decode(SPACE.subarray(0, written));
}
