/**
 * Names of span attributes and metrics for generative AI. The conventions are still in development
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/), so all that depends on them is in this file.
 */
export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  agentName: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
} as const;

/** Values of `gen_ai.operation.name`. */
export const OPERATIONS = { agent: 'invoke_agent', chat: 'chat', tool: 'execute_tool' } as const;

/** Names of attributes that the conventions for HTTP and errors define. */
export const COMMON = {
  errorType: 'error.type',
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
  path: 'url.path',
  protocol: 'network.protocol.name',
} as const;

/** What has no name in any convention. */
export const PARLEY = { runId: 'parley.run.id', attempt: 'parley.run.attempt', outcome: 'parley.run.outcome' } as const;
