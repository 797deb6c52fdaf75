/// <reference types="node" preserve="true" />
export { prove } from './plugin.js';
export type { Finding, FindingKind, KnownFinding, Proof, Report } from './policy/findings.js';
export {
  anonymous,
  everything,
  type Guard,
  type IdentityKey,
  mutations,
  type Policy,
  policy,
  type Rule,
  sockets,
  type ToolRule,
  tools,
  under,
  type Visitor,
  type VisitorCtx,
  type VisitorOptions,
  visitor,
} from './policy/rule.js';
