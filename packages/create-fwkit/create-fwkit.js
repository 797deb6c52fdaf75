#!/usr/bin/env node
// Plain JavaScript, so that it runs before the build, and so that older versions of Node can print this message.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `fwkit needs Node 20.19 or later, but this is ${process.version}. Install a newer version from https://nodejs.org/.`,
  );
  process.exitCode = 1;
} else import('./dist/main.js').then(({ main }) => main(process.argv.slice(2)));
