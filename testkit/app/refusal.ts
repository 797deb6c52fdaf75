import { explained } from '../test-error.js';

/** What a test app answered in place of the socket, the events or the result that a test asked for. */
export class TestRefusal extends Error {
  override readonly name = 'TestRefusal';
  readonly code = 'FWK905';

  constructor(
    message: string,
    /** Its status. */
    readonly status: number,
    /** Its headers, and its body, which has been read: it is a text in memory. */
    readonly response: Response,
  ) {
    super(explained('FWK905', message));
  }
}

/** The error for an answer to `asked`, such as `WS /ws/room`, that was not `expected`. It reads the body. */
export async function refusalOf(response: Response, asked: string, expected: string): Promise<TestRefusal> {
  const { status, headers, statusText } = response;
  const text = await response.text();
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  const message = `${asked} was answered with ${status} and not with ${expected}${shown === '' ? '' : `: ${shown}`}`;
  const body = status === 204 || status === 205 || status === 304 ? null : text;
  return new TestRefusal(message, status, new Response(body, { status, statusText, headers }));
}

/** Characters of a body that a message has. */
const MAX_SHOWN = 500;
