/** Pages that somebody looks for by a word which they do not begin with, or hardly say; the first is shown. */
const TOPICS: Readonly<Record<string, readonly string[]>> = {
  authentication: ['recipes/login', 'guide/sessions'],
  broadcast: ['guide/websockets', 'guide/events'],
  broadcasting: ['guide/websockets', 'guide/events'],
  deploying: ['operate/deploy'],
  live: ['guide/websockets', 'guide/events'],
  password: ['recipes/login', 'guide/sessions'],
  passwords: ['recipes/login', 'guide/sessions'],
  push: ['guide/events', 'guide/websockets'],
  realtime: ['guide/websockets', 'guide/events'],
  signin: ['recipes/login', 'guide/sessions'],
  upload: ['recipes/uploads', 'guide/requests'],
};

/** Names of the pages on what a word, without its case and marks, stands for. */
export const pagesOn = (word: string): readonly string[] =>
  Object.hasOwn(TOPICS, word) ? (TOPICS[word] ?? []) : [];
