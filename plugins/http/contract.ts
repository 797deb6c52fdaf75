// The types by which a client knows a route. They name nothing of Node, so that a frontend may use them without its types.
export type { Paths, Routes } from './request/route-info.js';
export type { Annotated, ErrorStatus, Parts, SuccessStatus } from './schema/definition.js';
export type { In, InputIssue, InputPart, Out, StandardSchema } from './schema/standard-schema.js';
