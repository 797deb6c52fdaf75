// What other plugins and apps may import.
export {
  type Checked,
  describeIssues,
  isStandardSchema,
  type SchemaIssue,
  type StandardSchema,
} from './standard-schema.js';
