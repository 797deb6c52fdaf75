#!/usr/bin/env node
// Plain JavaScript, so that it is executable before anything is built, and that an older Node gets as far as this message.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `fwkit needs Node 20.19 or later, and this is ${process.version}. Install a newer one from https://nodejs.org/.`,
  );
  process.exitCode = 1;
} else import('./dist/main.js').then(({ main }) => main(process.argv.slice(2)));
