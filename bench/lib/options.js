/** What the flags of a bench were given. A wrong one ends the process with a sentence. */

/** Those of `known` that a repeatable flag names; all of them where it is not given. */
export function chosen(flag, given, known, nameOf) {
  const names = known.map(nameOf);
  const wrong = given?.find((name) => !names.includes(name));
  if (wrong !== undefined) refuse(`There is no ${flag} "${wrong}". There are ${names.join(', ')}.`);
  return given === undefined ? known : known.filter((item) => given.includes(nameOf(item)));
}

/** The number that a flag was given. */
export function positive(flag, value) {
  const number = Number(value);
  if (!(number > 0)) refuse(`--${flag} takes a number above 0, not "${value}".`);
  return number;
}

/** Ends the process with a sentence. */
export function refuse(message) {
  console.error(message);
  process.exit(1);
}
