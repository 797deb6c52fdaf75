/// <reference types="node" preserve="true" />
/** The entry for files under `mcp/`, published as `fwkit/mcp`. */
export {
  addInspectorTool,
  addInspectorView,
  type InspectorTool,
} from '../../plugins/inspector/index.js';
export {
  type Ask,
  type Auth,
  auth,
  type Call,
  type Complete,
  type ElicitationAnswer,
  type FromJsonSchema,
  type Identity,
  type InputOf,
  type McpCall,
  type McpCallWrapper,
  type OutputOf,
  type PromptDefinition,
  prompt,
  type Resource,
  type ResourceCall,
  replaceMcpHandlers,
  resource,
  type SamplingAnswer,
  type Schema,
  type ToolDefinition,
  tool,
  wrapMcpCalls,
} from '../../plugins/mcp/index.js';
export type {} from './codes.js';
