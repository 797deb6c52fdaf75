/** Shown in place of a secret. */
export const REDACTED = '[redacted]';

/** Values that no log line and no page of fwk may contain. They last as long as the process, like its environment. */
const values = new Set<string>();

/** Shorter values occur by chance in other texts. */
const MIN_LENGTH = 6;

/** Redact `value` from now on, as it is and within JSON, URLs and HTML. Values of fewer than six characters are ignored. */
export function addSecretValue(value: string): void {
  if (value.length < MIN_LENGTH) return;
  values.add(value);
  values.add(JSON.stringify(value).slice(1, -1));
  values.add(encodeURIComponent(value));
  values.add(value.replaceAll('&', '&amp;'));
}

/** `text` with every secret value replaced by `[redacted]`. */
export function redactSecretValues(text: string): string {
  let redacted = text;
  for (const value of values) redacted = redacted.replaceAll(value, REDACTED);
  return redacted;
}
