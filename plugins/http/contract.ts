// The types by which a client knows a route. They name nothing of Node, so that a frontend may use them without its types.
export type { Paths, Routes } from './request/route-info.js';
export type { ErrorStatus, InputPart, SuccessStatus } from './schema/definition.js';
export type { InputIssue } from './schema/issues.js';
export type { Annotated, Parts } from './schema/parts.js';
export type { In, Out, StandardSchema } from './schema/standard-schema.js';
