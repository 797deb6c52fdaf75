// Exports for other plugins and apps.
export { CheckedSending, checkedOutput } from './checked-sending.js';
export type {
  Annotated,
  AnyDefinition,
  CheckedPart,
  Definition,
  ErrorStatus,
  Errors,
  InputDefinition,
  Parts,
  Responses,
  RouteTool,
  SuccessStatus,
} from './definition.js';
export { DefinitionError } from './definition-error.js';
export { definitionOf } from './definition-mistakes.js';
export {
  dereferenced,
  type Json as JsonSchema,
  jsonSchemaOf,
  keyIn,
  listed,
  MAX_DEPTH,
  remedyFor,
  withReferences,
} from './json-schema.js';
export {
  type Checked,
  describeIssues,
  type In,
  type InputIssue,
  type Issue,
  isStandardSchema,
  type Out,
  plainIssues,
  type SchemaIssue,
  type StandardSchema,
} from './standard-schema.js';
export { unsendableIn } from './unsendable.js';
