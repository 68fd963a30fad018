import { anthropic } from '@ai-sdk/anthropic';
import { serve } from '../../src/index.js';

export const server = serve({ model: anthropic('claude-sonnet-4-5') });
