/** The parts of the XMLHttpRequest of browsers that an upload needs: it reports progress, which `fetch` doesn't. */
interface UploadRequest {
  readonly upload: {
    onprogress: ((progress: { readonly loaded: number; readonly total: number }) => void) | null;
  };
  responseType: string;
  withCredentials: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly response: Blob | null;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: unknown): void;
  abort(): void;
  getAllResponseHeaders(): string;
}

declare const XMLHttpRequest: (new () => UploadRequest) | undefined;

type Progress = { readonly loaded: number; readonly total: number };

/** Sends a request with its progress. `init` has the body and the headers before they became part of the request. */
export function uploaded(
  { method, url, signal }: Request,
  { body, headers, credentials }: RequestInit,
  onProgress: (progress: Progress) => void,
): Promise<Response> {
  if (typeof XMLHttpRequest === 'undefined' || body instanceof ReadableStream)
    throw new TypeError('"onUploadProgress" needs a browser, and a body that is not a stream');
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    request.open(method, url);
    request.responseType = 'blob';
    request.withCredentials = credentials === 'include';
    // Without the content type of a form, so that the browser sets it with the boundary.
    for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress({ loaded, total });
    request.onload = () => {
      const { status, statusText } = request;
      const fields = request.getAllResponseHeaders().trim().split(/\r\n/);
      const answered = fields.filter(Boolean).map((field): [string, string] => {
        const colon = field.indexOf(':');
        return [field.slice(0, colon), field.slice(colon + 1).trim()];
      });
      const content = [204, 205, 304].includes(status) ? null : request.response;
      resolve(new Response(content, { status, statusText, headers: answered }));
    };
    request.onerror = () => reject(new TypeError('The upload failed'));
    signal.addEventListener('abort', () => {
      request.abort();
      reject(signal.reason);
    });
    request.send(body);
  });
}
