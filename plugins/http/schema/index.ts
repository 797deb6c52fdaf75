// What other plugins and apps may import.
export { CheckedSending, checkedOutput } from './checked-sending.js';
export type {
  AnyDefinition,
  CheckedPart,
  Definition,
  ErrorStatus,
  Errors,
  InputDefinition,
  Responses,
  SuccessStatus,
} from './definition.js';
export { DefinitionError } from './definition-error.js';
export { definitionOf } from './definition-mistakes.js';
export { type InputIssue, type Issue, plainIssues } from './issues.js';
export { type Json as JsonSchema, jsonSchemaOf } from './json-schema.js';
export type { Annotated, Parts } from './parts.js';
export type { RouteTool } from './route-tool.js';
export { withReferences } from './schema-references.js';
export {
  type Checked,
  describeIssues,
  type In,
  isStandardSchema,
  type Out,
  type SchemaIssue,
  type StandardSchema,
} from './standard-schema.js';
