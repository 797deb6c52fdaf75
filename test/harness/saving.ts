import { closeSync, ftruncateSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';

// How editors and tools replace a file's text: each was seen to be missed by a watcher that knows only plain writes.

/** Writes a file's new text as some program does. */
export type Save = (file: string, text: string) => void;

/** A plain write, by name. */
export const saves: Readonly<Record<string, Save>> = {
  'a plain write': (file, text) => writeFileSync(file, text),

  'vim, with a backup': (file, text) => {
    renameSync(file, `${file}~`);
    writeFileSync(file, text);
    rmSync(`${file}~`);
  },

  'sed -i': (file, text) => {
    const temporary = path.join(path.dirname(file), 'sedA1b2C3');
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  },

  'a JetBrains safe write': (file, text) => {
    writeFileSync(`${file}___jb_tmp___`, text);
    renameSync(file, `${file}___jb_old___`);
    renameSync(`${file}___jb_tmp___`, file);
    rmSync(`${file}___jb_old___`);
  },

  'truncate, then write in two pieces': (file, text) => {
    const handle = openSync(file, 'r+');
    ftruncateSync(handle, 0);
    const half = Math.floor(text.length / 2);
    writeSync(handle, text.slice(0, half));
    writeSync(handle, text.slice(half));
    closeSync(handle);
  },
};
