// The types that a typed client needs for a route. They use no Node types, so a frontend can import them without Node's types.
export type { Paths, Routes } from './request/route-info.js';
export type { Annotated, ErrorStatus, Parts, SuccessStatus } from './schema/definition.js';
export type { In, InputIssue, InputPart, Out, StandardSchema } from './schema/standard-schema.js';
