import type { Rule } from '../subject.js';
import { copies } from './copies.js';
import { environment, settings } from './env.js';
import { staleGuidance } from './guidance.js';
import { oldNode } from './node.js';
import { manifest } from './package.js';
import { secrets } from './secrets.js';
import { generatedTypes } from './types.js';
import { oldTypeScript } from './typescript.js';

/** The rules about projects as a whole. */
export const RULES: readonly Rule[] = [
  oldNode,
  oldTypeScript,
  manifest,
  copies,
  environment,
  settings,
  generatedTypes,
  staleGuidance,
  secrets,
];
