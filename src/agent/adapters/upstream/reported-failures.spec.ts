import { type FailureKind, kindOf } from './failure-kind.js';
import { UpstreamStatusError, UpstreamStreamError } from './upstream-error.js';

/** What users of many gateways have reported: the kind, the status and the body. */
const REPORTED = [
  'context 400 {"error":{"message":"Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192","code":"context_length_exceeded"}}',
  'context 400 [{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]',
  'context 400 {"message":"Input is too long for requested model."}',
  'context 400 {"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_prompt","code":3051}',
  `context 400 {"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 200000 tokens."}`,
  'context 400 {"message":"too many tokens: total number of tokens in the prompt cannot exceed 128000"}',
  'context 400 {"error":{"code":"1261","message":"Prompt 超长"}}',
  'context 400 {"error":{"message":"Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)","type":"invalid_request_error"}}',
  'context 400 {"type":"error","error":{"type":"bad_request_error","message":"invalid params, context window exceeds limit (2013)","http_code":"400"}}',
  'context 400 {"error":{"code":400,"message":"the request exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}',
  'context 500 {"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}',
  'context 400 {"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}',
  'context 422 {"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000","error_type":"validation"}',
  `context 400 {"object":"error","message":"The input (9000 tokens) is longer than the model's context length (8192 tokens).","code":400}`,
  'context 400 {"errors":[{"message":"AiError: The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8000).","code":5021}]}',
  'context 400 {"error":{"message":"The prompt is too long: 9000, model maximum context length: 8192"}}',
  'context 413 {"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}',
  `context 400 {"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8192 tokens and your request has 100 input tokens","code":400}}`,
  'context 400 {"error":{"message":"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again"}}',
  'filtered 400 {"error":{"message":"Content Exists Risk","type":"invalid_request_error","code":"invalid_request_error"}}',
  'filtered 400 {"error":{"message":"Your request was rejected as a result of our safety system.","code":"content_policy_violation"}}',
  'filtered 400 {"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt","code":"invalid_prompt"}}',
  'filtered 403 {"code":"The caller does not have permission","error":"Content violates usage guidelines. Team: x, Failed check: SAFETY_CHECK_TYPE_BIO"}',
  'filtered 400 {"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}',
  'filtered 400 {"error":{"code":"data_inspection_failed","message":"Output data may contain inappropriate content."}}',
  'filtered 403 {"error":{"code":403,"message":"anthropic/claude requires moderation on OpenRouter. Your input was flagged for \\"violence\\"","metadata":{"reasons":["violence"]}}}',
  `filtered 400 {"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`,
  'filtered 400 {"error":{"message":"The request was rejected because it was considered high risk","type":"content_filter"}}',
  'filtered 400 {"error":{"code":"1301","message":"系统检测到输入或生成内容可能包含不安全或敏感内容"}}',
  'filtered 400 {"error":{"message":"litellm.BadRequestError: litellm.ContentPolicyViolationError: AzureException - x"}}',
  'filtered 400 {"message":"The guardrail blocked the content: Violated guardrail policy"}',
  'quota 429 {"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}',
  'quota 402 {"error":{"message":"Insufficient Balance"}}',
  'quota 429 {"error":{"message":"Your account org-x is suspended, please check your plan and billing details","type":"exceeded_current_quota_error"}}',
  'quota 429 {"error":{"message":"Rate limit reached for model x on tokens per day (TPD): Limit 100000, Used 99000, Requested 2000. Please try again in 7m12.3s.","type":"tokens","code":"rate_limit_exceeded"}}',
  'quota 400 {"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing."}}',
  'quota 403 {"code":"The caller does not have permission","error":"Your team x has either used all available credits or reached its monthly spending limit."}',
  'quota 429 {"error":{"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day","code":429}}',
  'quota 412 {"error":{"message":"Account x is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices."}}',
  'quota 400 {"error":{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}}',
  'quota 403 {"error":{"code":"AllocationQuota.FreeTierOnly","message":"The free tier of the model has been exhausted."}}',
  'rate-limit 429 {"error":{"message":"Too Many Requests"}}',
  'rate-limit 429 {"error":{"code":"1302","message":"您的账户已达到速率限制"}}',
  'rate-limit 429 [{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 34.4s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}]',
  'quota 429 [{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"retryDelay":"34s"}]}}]',
  'credentials 400 [{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]',
  'credentials 400 {"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***"}',
  'credentials 403 {"error":{"message":"Forbidden"}}',
  'not-found 404 {"error":{"message":"model \\"x\\" not found, try pulling it first","type":"api_error"}}',
  'not-found 404 {"object":"error","message":"The model `x` does not exist.","type":"NotFoundError","code":404}',
  'not-found 400 {"error":{"message":"x is not a valid model ID","code":400}}',
  'not-found 400 {"error":{"message":"Model Not Exist","type":"invalid_request_error"}}',
  'not-found 404 [{"error":{"code":404,"message":"models/gemini-9 is not found for API version v1main, or is not supported for generateContent.","status":"NOT_FOUND"}}]',
  'not-found 400 {"error":{"code":"1211","message":"模型不存在，请检查模型代码。"}}',
  'not-found 404 {"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}',
  'not-found 400 {"object":"error","message":"Invalid model: foo","type":"invalid_model","code":"1500"}',
  'not-found 404 {"code":"Some requested entity was not found","error":"The model grok-9 does not exist or your team x does not have access to it."}',
  'not-found 404 {"error":{"message":"Not found the model kimi-9 or Permission denied","type":"resource_not_found_error"}}',
  'not-found 400 {"message":"The provided model identifier is invalid."}',
  'no-route 404 {"error":{"message":"Invalid URL (POST /chat/completions)","type":"invalid_request_error"}}',
  'no-route 404 404 page not found',
  'no-route 404 {"detail":"Not Found"}',
  'no-route 404 {"error":{"code":"404","message":"Resource not found"}}',
  'no-route 404 {"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}',
  'no-route 404 {"error":"Unexpected endpoint or method. (POST /chat/completions)"}',
  'timeout 504 upstream request timeout',
  'timeout 408 {"error":{"message":"Request timed out"}}',
];
/** Kinds that an error in a stream has, too, without a status: the others need one. */
const IN_STREAMS: ReadonlySet<FailureKind> = new Set(['context', 'filtered', 'quota', 'rate-limit']);

describe('failures as users of gateways have reported them', () => {
  it.each(REPORTED)('%s', (row) => {
    const [, kind, status, body = ''] = /^(\S+) (\d+) (.*)$/.exec(row) ?? [];
    expect(kindOf(new UpstreamStatusError(Number(status), {}, body))).toBe(kind);
    if (!IN_STREAMS.has(kind as FailureKind)) return;
    const value = JSON.parse(body) as object;
    expect(kindOf(new UpstreamStreamError(Array.isArray(value) ? value[0] : value))).toBe(kind);
  });
});
