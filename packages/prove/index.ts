/// <reference types="node" preserve="true" />
export { prove } from './plugin.js';
export type { Finding, FindingKind, KnownFinding, Proof, Report } from './policy/findings.js';
export { everything, mutations, type Policy, policy, sockets, tools, under } from './policy/policy.js';
export {
  anonymous,
  type Guard,
  type IdentityKey,
  type Rule,
  type ToolRule,
  type Visitor,
  type VisitorCtx,
  type VisitorOptions,
  visitor,
} from './policy/rule.js';
