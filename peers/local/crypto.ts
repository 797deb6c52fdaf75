/** Node's own module. Not imported: every command would wait 2 ms for what only is needed to serve. */
export const crypto = () => process.getBuiltinModule('node:crypto');
