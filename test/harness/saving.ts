import {
  chmodSync,
  closeSync,
  copyFileSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

// How editors and tools replace a file's text: each was seen to be missed, or told twice, by some watcher.

/** Writes a file's new text as some program does. */
export type Save = (file: string, text: string) => void | Promise<void>;

const beside = (file: string, name: string) => path.join(path.dirname(file), name);

/** Ways to save, by name. */
export const saves: Readonly<Record<string, Save>> = {
  'a plain write, as VS Code does': (file, text) => writeFileSync(file, text),

  'vim, with a backup and its probe': (file, text) => {
    writeFileSync(beside(file, '4913'), '');
    rmSync(beside(file, '4913'));
    writeFileSync(beside(file, `.${path.basename(file)}.swp`), 'swap');
    renameSync(file, `${file}~`);
    writeFileSync(file, text);
    chmodSync(file, 0o644);
    rmSync(`${file}~`);
    rmSync(beside(file, `.${path.basename(file)}.swp`));
  },

  'vim, with a copy as backup': (file, text) => {
    copyFileSync(file, `${file}~`);
    writeFileSync(file, text);
    rmSync(`${file}~`);
  },

  'Emacs, with a lock and a backup': (file, text) => {
    const lock = beside(file, `.#${path.basename(file)}`);
    symlinkSync('ada@host.4711:1700000000', lock);
    writeFileSync(beside(file, `#${path.basename(file)}#`), text);
    renameSync(file, `${file}~`);
    writeFileSync(file, text);
    rmSync(lock);
    rmSync(beside(file, `#${path.basename(file)}#`));
  },

  'sed -i': (file, text) => {
    const temporary = beside(file, 'sedA1b2C3');
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  },

  'an atomic write through a module-like name': (file, text) => {
    const temporary = beside(file, `tmp-4711${path.extname(file)}`);
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  },

  'a JetBrains safe write': (file, text) => {
    writeFileSync(`${file}___jb_tmp___`, text);
    renameSync(file, `${file}___jb_old___`);
    renameSync(`${file}___jb_tmp___`, file);
    rmSync(`${file}___jb_old___`);
  },

  'deleted, then written': (file, text) => {
    rmSync(file);
    writeFileSync(file, text);
  },

  'truncate, then write in two pieces': (file, text) => {
    const handle = openSync(file, 'r+');
    ftruncateSync(handle, 0);
    const half = Math.floor(text.length / 2);
    writeSync(handle, text.slice(0, half));
    writeSync(handle, text.slice(half));
    closeSync(handle);
  },

  'empty for 20 ms': async (file, text) => {
    const handle = openSync(file, 'w');
    await pause(20);
    writeSync(handle, text);
    closeSync(handle);
  },

  'gone for 10 ms': async (file, text) => {
    renameSync(file, `${file}~`);
    await pause(10);
    writeFileSync(file, text);
  },

  'saved, then formatted within a millisecond': (file, text) => {
    writeFileSync(file, `${text}\n\n\n`);
    readFileSync(file);
    writeFileSync(file, text);
  },
};
