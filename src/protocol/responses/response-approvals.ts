import { Injectable } from '@nestjs/common';
import { dataOf, type Message } from '../../events/index.js';
import { type InterruptAnswer, Interrupts, type InterruptView } from '../../interrupt/index.js';
import type { MessageScope } from '../../session/index.js';
import type { McpApprovalRequestItem } from './items/item.types.js';
import { isOutput, text, wireLabel } from './items/tool-data.js';
import { notFound } from './responses.errors.js';

/** The answers in a request, and the requests they answer as this wire showed them. */
export interface GivenAnswers {
  readonly answers: readonly InterruptAnswer[];
  readonly requests: readonly McpApprovalRequestItem[];
  /** The calls that are allowed. */
  readonly approved: readonly { readonly requestId: string; readonly callId: string }[];
  /** The input from the first answer on: what stands before it, the answered session has already. */
  readonly rest: readonly Message[];
}

/** Reads the answers to approval requests out of a request's items. */
@Injectable()
export class ResponseApprovals {
  constructor(private readonly interrupts: Interrupts) {}

  /**
   * An answer behind which the assistant has already gone on is history: clients that send the whole
   * conversation again send it too.
   *
   * @param within the session that the request names: what another one asks is unknown to it
   * @throws AppError INTERRUPT_NOT_FOUND for an answer to nothing
   */
  async given(scope: MessageScope, input: readonly Message[], within?: string): Promise<GivenAnswers> {
    const answers: InterruptAnswer[] = [];
    const requests: McpApprovalRequestItem[] = [];
    const approved: { requestId: string; callId: string }[] = [];
    const unsettled = input.slice(input.findLastIndex(goesOn) + 1);
    const rest = unsettled.slice(Math.max(0, unsettled.findIndex(isAnswer)));
    for (const message of rest.filter(isAnswer)) {
      const answer = answerOf(message);
      const asked = await this.interrupts.find(scope, answer.interruptId);
      if (!asked || (within ?? asked.sessionId) !== asked.sessionId) {
        throw notFound('INTERRUPT_NOT_FOUND', 'Approval request', answer.interruptId, 'input');
      }
      answers.push(answer);
      requests.push(requestItem(asked));
      if (answer.status === 'resolved' && answer.approve && asked.kind === 'approval') {
        approved.push({ requestId: asked.id, callId: asked.callId ?? '' });
      }
    }
    return { answers, requests, approved, rest };
  }
}

function isAnswer({ type }: Message): boolean {
  return type === 'mcp_approval_response';
}

function goesOn({ type, role }: Message): boolean {
  return isOutput(type) || (role === 'assistant' && type !== 'mcp_approval_request');
}

function answerOf(message: Message): InterruptAnswer {
  const data = dataOf(message) ?? {};
  const reason = data['reason'];
  return {
    interruptId: text(data['approval_request_id']),
    status: 'resolved',
    approve: data['approve'] === true,
    ...(typeof reason === 'string' && { reason }),
  };
}

function requestItem(asked: InterruptView): McpApprovalRequestItem {
  return {
    id: asked.id,
    type: 'mcp_approval_request',
    server_label: wireLabel(asked.serverLabel ?? ''),
    name: asked.toolName ?? '',
    arguments: JSON.stringify(asked.arguments ?? {}),
  };
}
