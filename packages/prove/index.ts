/// <reference types="node" preserve="true" />
export type {} from './codes.js';
export { prove } from './plugin.js';
export { everything, mutations, type Policy, policy, sockets, tools, under } from './policy/policy.js';
export type { Guard, Rule, ToolRule } from './policy/rule.js';
export { anonymous, type Visitor, type VisitorCtx, type VisitorOptions, visitor } from './policy/visitor.js';
export type { Finding, FindingKind, Proof, Report } from './prove/findings.js';
