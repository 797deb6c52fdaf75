/** Parses the flags of a benchmark. An invalid flag prints a message and ends the process. */

/** Returns the names that a repeatable flag selects from `known`, or all names without the flag. */
export function chosen(flag, given, known, nameOf) {
  const names = known.map(nameOf);
  const wrong = given?.find((name) => !names.includes(name));
  if (wrong !== undefined) refuse(`Unknown ${flag} "${wrong}". Use ${names.join(', ')}.`);
  return given === undefined ? known : known.filter((item) => given.includes(nameOf(item)));
}

/** Returns the value of a flag as a positive number. */
export function positive(flag, value) {
  const number = Number(value);
  if (!(number > 0)) refuse(`--${flag} must be a number above 0. It is "${value}".`);
  return number;
}

/** Prints a message and ends the process with an error. */
export function refuse(message) {
  console.error(message);
  process.exit(1);
}
