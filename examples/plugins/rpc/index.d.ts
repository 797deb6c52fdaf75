import type { RuntimeCtx, StandardSchema } from 'fwkit';
import type { Convention } from 'fwkit/http';
import type { Plugin } from 'fwkit/plugin';

/** The default export of a file in `rpc/`: an endpoint, and the function that it calls. */
export interface Procedure<Input = never, Output = unknown>
  extends NonNullable<ReturnType<Convention['endpointOf']>> {
  /** Validates `input`, and then calls the function. Rejects with an HttpProblem with status 422 if the input is invalid. */
  readonly call: (input: Input, ctx: RuntimeCtx) => Promise<Output>;
}

/**
 * `export default procedure(schema, async (input, ctx) => …)`: the function gets the output of the schema, which can be any
 * Standard Schema. Without a schema, the input is not validated, regardless of its type.
 */
export function procedure<Input, Output>(
  run: (input: Input, ctx: RuntimeCtx) => Output,
): Procedure<Input, Awaited<Output>>;
export function procedure<Input, Parsed, Output>(
  schema: StandardSchema<Input, Parsed>,
  run: (input: Parsed, ctx: RuntimeCtx) => Output,
): Procedure<Input, Awaited<Output>>;

/**
 * `ctx.rpc('users/find', input, ctx)`: calls the function of `rpc/users/find.ts` in this process. With `ctx`, the function
 * has the visitor and the request of its caller. Without `ctx`, it gets a new scope, which ends with the call.
 */
export type Call<Procedures> = <Name extends keyof Procedures>(
  name: Name,
  ...given: Procedures[Name] extends Procedure<infer Input, infer _>
    ? unknown extends Input
      ? [input?: Input, ctx?: RuntimeCtx]
      : [input: Input, ctx?: RuntimeCtx]
    : never
) => Procedures[Name] extends Procedure<infer _, infer Output> ? Promise<Output> : never;

/** The plugin: `export default defineConfig({ plugins: [rpc()] })`. */
export function rpc(): Plugin;
