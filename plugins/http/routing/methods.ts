/** Methods that have a wrapper and a filename suffix (RFC 9110 §9, RFC 5789). `ALL` stands for every method. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'ALL';

/** The method of each filename suffix. A wrapper has the name of the suffix; `delete`, which is a keyword, has none: it is `del`. */
export const METHOD_OF_SUFFIX: Readonly<Record<string, Method>> = {
  get: 'GET',
  post: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  del: 'DELETE',
  delete: 'DELETE',
  head: 'HEAD',
  options: 'OPTIONS',
  all: 'ALL',
};

/** `get` for `GET`, `del` for `DELETE`: what the user writes. */
export const wrapperName = (method: Method): string => (method === 'DELETE' ? 'del' : method.toLowerCase());
