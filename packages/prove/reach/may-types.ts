/** The type of `.meta({ may })`: values of `ctx` by their names, and whatever a package is called. */
export const mayTypes = `  interface RouteMeta {
    /** All that it may reach, middlewares included: values of \`ctx\`, packages, \`env:NAME\`, \`net\`, \`fs\`. \`fwk build\` holds it. */
    readonly may?: readonly (
      | Exclude<keyof RuntimeCtx, 'logger'>
      | 'net'
      | 'fs'
      | \`env:\${string}\`
      | \`node:\${string}\`
      | (string & {})
    )[];
  }
`;
