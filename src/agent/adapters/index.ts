export {
  ChatCompletionsModelClient,
  type ChatCompletionsHooks,
  type ChatCompletionsSettings,
} from './chat-completions/chat-completions-model-client.js';
export { createModelClient } from './model-client.factory.js';
