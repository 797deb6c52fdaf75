/** A Content-Disposition by which a browser saves what comes as `name` (RFC 6266; the part that is not ASCII by RFC 8187). */
export function disposition(name: string): string {
  // Only the last part of a path counts, and half a character is none.
  const file = (name.split(/[/\\]/).at(-1) ?? '').replace(/[\ud800-\udfff]/gu, '_');
  const plain = file.replace(/[^ !#-$&-[\]-~]/g, '_');
  const quoted = `attachment; filename="${plain}"`;
  return plain === file ? quoted : `${quoted}; filename*=UTF-8''${encoded(file)}`;
}

/** Every character that RFC 8187 does not let stand for itself. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
