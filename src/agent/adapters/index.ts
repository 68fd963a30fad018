export { AiSdkModelClient, type AiSdkSettings } from './ai-sdk/ai-sdk-model-client.js';
export {
  ChatCompletionsModelClient,
  type ChatCompletionsHooks,
  type ChatCompletionsSettings,
} from './chat-completions/chat-completions-model-client.js';
export {
  createConfiguredClient,
  createModelClient,
  createModels,
  type GivenModels,
  type ProviderOptions,
} from './model-client.factory.js';
export { createRemoteAgents } from './remote/remote-agents.js';
