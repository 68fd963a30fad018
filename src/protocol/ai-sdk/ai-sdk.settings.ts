import { choice, flag, milliseconds, namePatterns, setting, settings, text } from '../../config/index.js';

/** The longest replay window: ten minutes. */
const MAX_WINDOW_MS = 600_000;

/** Settings of the AI SDK's UI message stream. */
export class AiSdkSettings extends settings('AI SDK', {
  level: setting('AI_SDK_LEVEL', choice('5', '6', '7'), {
    default: '6',
    description:
      'For which line of the npm package `ai` streams are written: everything in them is known to its x.0.0 and later. A request chooses with `?sdk=`.',
  }),
  metadata: setting('AI_SDK_METADATA', flag(), {
    default: true,
    description:
      'Whether messages have the metadata `{parley: {runId, createdAt, usage}}`. A page with a schema of its own for metadata may refuse them.',
  }),
  staticTools: setting('AI_SDK_STATIC_TOOLS', namePatterns(), {
    default: () => [],
    unset: 'none',
    description:
      'Names of tools of the server that the page has typed, separated by commas, `*` for any characters: their parts are `tool-NAME` instead of `dynamic-tool`.',
  }),
  replayWindowMs: setting('AI_SDK_REPLAY_WINDOW_MS', milliseconds({ min: 0, max: MAX_WINDOW_MS }), {
    default: 2000,
    description:
      'How long after its end an answer is replayed to a page that asks for the stream of its chat, and left out of its messages: a page that has loaded the messages just before gets it. 0 turns it off.',
  }),
  busyPolicy: setting('AI_SDK_BUSY_POLICY', choice('interrupt', 'enqueue', 'reject'), {
    default: 'interrupt',
    description:
      'What happens to a new message in a chat whose answer is not complete: it cancels that answer, waits, or is refused.',
  }),
  onDisconnect: setting('AI_SDK_ON_DISCONNECT', choice('continue', 'cancel'), {
    default: 'continue',
    description:
      'What becomes of a run whose client disconnects. With `cancel`, the stop button of a page needs no request of its own, and nothing can be resumed.',
  }),
  errorText: setting('AI_SDK_ERROR_TEXT', text(1000), {
    unset: 'the message of the error',
    description: 'What a page shows of a run that has failed.',
  }),
}) {}
