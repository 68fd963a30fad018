export { AiSdkModelClient, type AiSdkSettings, type LanguageModelSource } from './ai-sdk/ai-sdk-model-client.js';
export {
  ChatCompletionsModelClient,
  type ChatCompletionsHooks,
  type ChatCompletionsSettings,
} from './chat-completions/chat-completions-model-client.js';
export { createModelClient, type ModelSource, type ProviderOptions } from './model-client.factory.js';
