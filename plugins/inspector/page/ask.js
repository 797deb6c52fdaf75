/** Requests JSON from this page's server. Rejects with an Error: a sentence without its full stop. */
export async function ask(path, body) {
  const response = await fetch(
    path,
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.message ?? `the server responded with ${response.status}`);
  return answer;
}

export function tell(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export const milliseconds = (time) =>
  time === undefined ? '…' : time < 10 ? `${time.toFixed(1)} ms` : `${Math.round(time)} ms`;

/** `14:03:12` */
export const clock = (at) => new Date(at).toLocaleTimeString('en-GB');
