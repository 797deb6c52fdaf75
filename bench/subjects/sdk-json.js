/** The same as `sdk`, configured to respond with JSON. */
import { serve } from './sdk.js';

export const mcp = serve({ enableJsonResponse: true });
