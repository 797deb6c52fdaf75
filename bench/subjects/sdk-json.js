/** The same as `sdk`, told to answer with JSON. */
import { serve } from './sdk.js';

export const mcp = serve({ enableJsonResponse: true });
