export {
  OpenAiCompatibleModelClient,
  type OpenAiCompatibleHooks,
  type OpenAiCompatibleSettings,
} from './openai-compatible-model-client.js';
export { createModelClient } from './model-client.factory.js';
