import { hasPage } from '../../kernel/index.js';
import type { Excerpt, Frame, Paint, Trace } from './trace.js';

const same = (text: string): string => text;
const PLAIN: Paint = { bad: same, strong: same, dim: same };

/** Traces as text, one below the other: message, source, stack. */
export const describeTraces = (traces: readonly Trace[], paint: Paint = PLAIN): string =>
  traces.map((trace, index) => `${index > 0 ? 'Caused by ' : ''}${describe(trace, paint)}`).join('\n\n');

function describe({ headline, code, excerpt, frames }: Trace, paint: Paint): string {
  const more = hasPage(code) ? `npx fwk docs ${code}` : code;
  const head = [paint.bad(headline), more && paint.dim(more)].filter(Boolean).join('\n');
  const stack = frames.map((frame) => describeFrame(frame, paint)).join('\n');
  const source =
    excerpt && `${excerpt.file}:${excerpt.line}:${excerpt.column}\n${drawExcerpt(excerpt, paint)}`;
  return [head, source, stack].filter(Boolean).join('\n\n');
}

function describeFrame(frame: Frame, paint: Paint): string {
  const line = `    at ${frame.text}`;
  return frame.origin === 'project' ? paint.strong(line) : paint.dim(line);
}

function drawExcerpt({ line, caret: column, rows }: Excerpt, { bad, dim }: Paint): string {
  const gutter = String(rows.at(-1)?.number ?? line).length;
  return rows
    .map(({ number, text }) => {
      const at = `${String(number).padStart(gutter)} | `;
      if (number !== line) return dim(`  ${at}${text}`.trimEnd());
      // Tabs stay tabs, so that the caret stands below its character.
      const caret = text.slice(0, column - 1).replace(/[^\t]/g, ' ');
      const below = column > text.length + 1 ? '' : `\n  ${' '.repeat(gutter)} | ${caret}${bad('^')}`;
      return `${bad('>')} ${at}${text}${below}`;
    })
    .join('\n');
}
