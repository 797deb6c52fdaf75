import type { RuntimeCtx, StandardSchema } from 'fwkit';
import type { Convention } from 'fwkit/http';
import type { Plugin } from 'fwkit/plugin';

/** What a file under `rpc/` exports: an endpoint, and the function behind it. */
export interface Procedure<Input = never, Output = unknown>
  extends NonNullable<ReturnType<Convention['endpointOf']>> {
  /** Checks `input`, then runs the function. Rejects with an HttpProblem of status 422 for a wrong input. */
  readonly call: (input: Input, ctx: RuntimeCtx) => Promise<Output>;
}

/**
 * `export default procedure(schema, async (input, ctx) => …)`: the function gets what the schema makes of the input. Without
 * a schema (any Standard Schema) the input comes from outside unchecked, whatever its type says.
 */
export function procedure<Input, Output>(
  run: (input: Input, ctx: RuntimeCtx) => Output,
): Procedure<Input, Awaited<Output>>;
export function procedure<Input, Parsed, Output>(
  schema: StandardSchema<Input, Parsed>,
  run: (input: Parsed, ctx: RuntimeCtx) => Output,
): Procedure<Input, Awaited<Output>>;

/**
 * `ctx.rpc('users/find', input, ctx)`: call the function of `rpc/users/find.ts` in this process. It gets the `ctx` given
 * here, and so the visitor and the request of its caller; without one a scope of its own, which ends with the call.
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
