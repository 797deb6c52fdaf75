import kleur from 'kleur';

/**
 * The result of `draw`, coloured only if stderr shows colours: kleur looks at stdout alone. `NO_COLOR` and `FORCE_COLOR`
 * count as they do on stdout.
 */
export function onStderr(draw: () => string): string {
  const onStdout = kleur.enabled;
  if (process.env.FORCE_COLOR === undefined)
    kleur.enabled =
      process.stderr.isTTY === true && process.stderr.hasColors() && !('NO_COLOR' in process.env);
  try {
    return draw();
  } finally {
    kleur.enabled = onStdout;
  }
}
