import { choice, flag, type Rule, setting, settings, splitList } from '../../config/index.js';

/** How much of the calls of the server's own tools a client sees. */
export const TOOL_TRACES = ['reasoning', 'status', 'off'] as const;
/** How much of the calls of the server's own tools a client sees. */
export type ToolTrace = (typeof TOOL_TRACES)[number];

/** Settings of Chat Completions. */
export class ChatCompletionsSettings extends settings('Chat Completions', {
  sessionHeaders: setting('CHAT_SESSION_HEADERS', headerNames(), {
    default: () => [],
    unset: 'only `X-Session-Id`',
    description:
      'Further headers that name the session of a request, separated by commas, the first one that is present counts: `X-OpenWebUI-Chat-Id` for Open WebUI. Without such a header each request is a conversation of its own.',
  }),
  busyPolicy: setting('CHAT_BUSY_POLICY', choice('reject', 'enqueue', 'interrupt'), {
    default: 'reject',
    description:
      'What happens to a request whose session has a run that has not ended: it is refused, it waits, or the run is canceled for it.',
  }),
  onDisconnect: setting('CHAT_ON_DISCONNECT', choice('cancel', 'continue'), {
    default: 'cancel',
    description:
      'What becomes of a run whose client disconnects. `cancel`, because clients of this protocol have no other way to stop an answer. A request with an `Idempotency-Key` continues in any case.',
  }),
  toolTrace: setting('CHAT_TOOL_TRACE', choice(...TOOL_TRACES), {
    default: 'reasoning',
    description:
      'How clients see the calls of the server’s tools: as lines of `reasoning_content`, as `status` events of Open WebUI, or not at all. A request chooses with the header `X-Tool-Trace`.',
  }),
  reasoning: setting('CHAT_REASONING', flag(), {
    default: true,
    description: 'Whether clients get the reasoning of the model, as `reasoning_content`.',
  }),
  approvalText: setting('CHAT_APPROVAL_TEXT', flag(), {
    default: true,
    description:
      'Whether an answer says in words that a call waits for approval, if the client has not declared the tool `request_approval`.',
  }),
}) {}

/** Names of HTTP headers in lower case, separated by commas. */
function headerNames(): Rule<readonly string[]> {
  return {
    expectation: 'a comma-separated list of names of HTTP headers',
    parse: (text) => {
      const names = splitList(text).map((name) => name.toLowerCase());
      return names.length > 0 && names.every((name) => /^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(name))
        ? names
        : undefined;
    },
  };
}
