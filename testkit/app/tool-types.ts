import type { Json } from '../../client/index.js';
import type { In, Out, Paths, StandardSchema } from '../../plugins/http/index.js';
import type { FromJsonSchema, Tools } from '../../plugins/mcp/index.js';

type Given = Readonly<Record<string, unknown>>;

/** The tools of `mcp/tools/` by their own names; those whose name is made while the project runs are left out. */
type Named = { [Key in keyof Tools as NameOf<Tools[Key], Key>]: Tools[Key] };

type NameOf<Tool, Key> = Tool extends { readonly name?: infer Name }
  ? [Exclude<Name, undefined>] extends [never]
    ? Key
    : string extends Name
      ? never
      : Exclude<Name, undefined> & string
  : Key;

/** The names that tools have where they are routes: what is behind the method. */
type RouteWords = { [Path in keyof Paths & string]: WordsOf<Path> }[keyof Paths & string];
type WordsOf<Path extends string> = Path extends `/api/${infer Rest}` ? Words<Rest> : Words<Path>;
type Words<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? `${Words<First>}${Words<Rest>}`
  : Path extends `${infer First}-${infer Rest}`
    ? `${Words<First>}${Words<Rest>}`
    : Path extends `:${infer Parameter}` | `*${infer Parameter}`
      ? Words<Parameter>
      : Capitalize<Path>;
type RouteMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** What a name is beside a text: nothing, where a tool may have it, or no tool is known. */
export type AskedTool<Name extends string> = string extends Name
  ? unknown
  : [Name] extends [keyof Named]
    ? unknown
    : [keyof Named] extends [never]
      ? unknown
      : Name extends `${RouteMethod}${infer Rest}`
        ? Rest extends RouteWords
          ? unknown
          : NoSuchTool<keyof Named>
        : NoSuchTool<keyof Named>;

/** What no name is. The compiler prints it, with the names that there are. */
interface NoSuchTool<Names> {
  readonly [names]: Names;
}
declare const names: unique symbol;

/** The tool of a name; never where the types know none. */
export type ToolAt<Name extends string> = string extends Name
  ? never
  : Name extends keyof Named
    ? Named[Name]
    : never;

/** What a tool is called with beside its name. */
export type ToolArguments<Tool, Options> = [Tool] extends [never]
  ? [args?: Given, options?: Options]
  : Tool extends { readonly input?: infer Input }
    ? Arguments<ArgumentsOf<Exclude<Input, undefined>>, Options>
    : [args?: Given, options?: Options];

type Arguments<Input, Options> =
  Record<never, never> extends Input ? [args?: Input, options?: Options] : [args: Input, options?: Options];

/** What goes into the schema of a tool. */
type ArgumentsOf<S> = [S] extends [never]
  ? Record<string, never>
  : Known<S extends StandardSchema ? In<S> : FromJsonSchema<S>>;

/** The structured content of what a tool answers. */
export type StructuredOf<Tool> = [Tool] extends [never]
  ? Given
  : Tool extends { readonly output?: infer Output }
    ? [Exclude<Output, undefined>] extends [never]
      ? Given
      : ContentOf<Exclude<Output, undefined>>
    : Given;

type ContentOf<S> = Rooted<Known<Json<S extends StandardSchema ? Out<S> : FromJsonSchema<S>>>>;

/** Clients with sessions get what is no object inside of one. */
type Rooted<T> = T extends readonly unknown[] | string | number | boolean | null ? { readonly result: T } : T;

type Known<T> = unknown extends T ? Given : T;
