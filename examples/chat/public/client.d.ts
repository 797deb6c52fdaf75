// The scripts beside this file import /client.js, which src/web/client.js.get.ts serves.
export * from 'fwkit/client';
