/** Data that a server sent as JSON, or else the text itself. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * The events of a response (WHATWG HTML §9.2.6), as they arrive. Leaving the loop cancels the response. If
 * the connection breaks or is aborted, the loop throws the error that `fetch` would.
 */
export async function* eventsOf({ body }: Response) {
  if (!body) return;
  const reader = body.getReader();
  // Removes the byte order mark, and decodes characters that are split between two chunks.
  const decoder = new TextDecoder();
  let rest = '';
  let endedByReturn = false;
  let id = '';
  let event = '';
  let data: string | undefined;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      let text = decoder.decode(value, { stream: true });
      if (!text) continue;
      // The previous chunk ended with the first half of CRLF: the second half doesn't end another line.
      if (endedByReturn && text[0] === '\n') text = text.slice(1);
      endedByReturn = text.endsWith('\r');
      const [first = '', ...lines] = text.split(/\r\n|\r|\n/);
      rest += first;
      for (const next of lines) {
        const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(rest) ?? [];
        if (!rest) {
          if (data !== undefined) yield { event: event || 'message', data: parsed(data), id };
          event = '';
          data = undefined;
        } else if (field === 'data') data = data === undefined ? value : `${data}\n${value}`;
        else if (field === 'event') event = value;
        else if (field === 'id' && !value.includes('\0')) id = value;
        rest = next;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
