/** A command line that cannot be run. Its message is all that people see. */
export class UsageError extends Error {}
