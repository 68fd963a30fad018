import type { ToolDeclaration } from '../../../tools/index.js';
import { asText, type Fields, textAt } from '../json-fields.js';
import type { RemoteWriter } from '../remote-writer.js';
import { callText, confirmationText } from './agentscope-ids.js';
import { RESULT_KEY } from './agentscope-input.js';

/** The result of a call that a person is asked for. */
const ASKED = 'A person is asked for the result.';

/** What questions are written with. */
export interface Asking {
  /** The tools that the client runs: it answers their calls itself. */
  readonly clientTools: readonly ToolDeclaration[];
  readonly writer: RemoteWriter;
}

/**
 * Calls that wait: for approvals, for the client, or for somebody who knows their results. The service takes one kind of
 * answer at a time: results are asked for when no approval is open.
 */
export function askFor(reply: Fields, blocks: readonly Fields[], { clientTools, writer }: Asking): void {
  const isAsking = (block: Fields): boolean => textAt(block, 'state') === 'asking';
  for (const block of blocks) {
    const call = {
      replyId: textAt(reply, 'id') ?? '',
      callId: textAt(block, 'id') ?? '',
      name: textAt(block, 'name') ?? 'unknown_tool',
    };
    const input = asText(block['input']);
    const upstreamId = callText(call);
    if (isAsking(block)) {
      writer.approval(confirmationText({ ...call, input }), {
        name: call.name,
        arguments: input,
        callId: upstreamId,
      });
    } else if (!clientTools.some(({ name }) => name === call.name)) {
      // A call that is not known was shown in an earlier run.
      if (writer.knowsCall(upstreamId)) writer.output(upstreamId, ASKED);
      if (blocks.some(isAsking)) continue;
      writer.question({
        key: `${RESULT_KEY}${upstreamId}`,
        reason: 'tool_result',
        message: `The agent waits for the result of ${call.name} with ${input.slice(0, 500)}`,
        responseSchema: { type: 'string' },
      });
    }
  }
}
