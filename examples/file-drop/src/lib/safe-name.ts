/** The maximum length of a name in bytes of UTF-8. File systems allow 255, and browsers may append ` (1)`. */
const MAX_BYTES = 200;
/** Device names on Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * Returns a name that any system can save and that doesn't mislead. The client's name is only displayed and sent back:
 * files on the disk are named by id.
 */
export function safeName(name: string): string {
  const plain = (name.split(/[/\\]/).at(-1) ?? '')
    .normalize('NFC')
    // Lone surrogates, control characters, and characters that change the text direction: `gpj.exe` would read as
    // `exe.jpg`.
    .replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}\u{feff}]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    // Hidden files, and trailing characters that Windows removes.
    .replace(/^[. ]+|[. ]+$/g, '')
    .replace(DEVICE, '_$&');
  return shortened(plain) || 'file';
}

/** Shortens the part before the extension. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const [extension = ''] = /\.[\w-]{1,20}$/.exec(name) ?? [];
  let stem = '';
  for (const character of name.slice(0, name.length - extension.length)) {
    if (Buffer.byteLength(stem + character + extension) > MAX_BYTES) break;
    stem += character;
  }
  return stem.trimEnd() + extension;
}
