import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import type { Reach } from '../../common/index.js';
import { dataOf, type Message } from '../../events/index.js';
import { type InterruptAnswer, Interrupts, type InterruptView } from '../../agent/interrupt/index.js';
import { findWithin } from '../wire/index.js';
import { ConversationHistory } from './conversation-history.js';
import type { McpApprovalRequestItem } from './items/item.types.js';
import { isOutput, text, wireLabel } from './items/tool-data.js';
import { notFound } from './responses.errors.js';

/** The answers to approval requests in a request for a response. */
export interface GivenAnswers {
  /** The user whose approval requests they are; undefined without answers. */
  readonly owner: string | undefined;
  /** In the order of the request. */
  readonly answers: readonly InterruptAnswer[];
  /** The approval requests that they answer. */
  readonly requests: readonly McpApprovalRequestItem[];
  /** The calls that are approved. */
  readonly approved: readonly { readonly requestId: string; readonly callId: string }[];
  /** The input from the first answer on: what precedes it is in the session already. */
  readonly rest: readonly Message[];
}

/** Finds the answers to approval requests in the input of a request. */
@Injectable()
export class ResponseApprovals {
  constructor(
    private readonly interrupts: Interrupts,
    private readonly history: ConversationHistory,
  ) {}

  /**
   * Answers that output of the assistant follows are history, which clients send with the whole conversation.
   *
   * @param reach the owners whose approval requests can be answered; without authentication, also requests of nobody
   * @param within the session that the request names: approval requests of another one are unknown to it
   * @throws OpenAiError INTERRUPT_NOT_FOUND for an answer to an unknown request
   */
  async given(caller: Caller, reach: Reach, input: readonly Message[], within?: string): Promise<GivenAnswers> {
    const answers: InterruptAnswer[] = [];
    let owner: string | undefined;
    const requests: McpApprovalRequestItem[] = [];
    const approved: { requestId: string; callId: string }[] = [];
    const latest = input.slice(input.findLastIndex(isOutputOfAssistant) + 1);
    const rest = latest.slice(Math.max(0, latest.findIndex(isAnswer)));
    for (const message of rest.filter(isAnswer)) {
      const answer = answerOf(message);
      const find = (one: Reach): Promise<InterruptView | undefined> => this.interrupts.find(one, answer.interruptId);
      const asked = await findWithin(this.history, caller, reach, find);
      if (!asked || (within ?? asked.sessionId) !== asked.sessionId) {
        throw notFound('INTERRUPT_NOT_FOUND', 'Approval request', answer.interruptId, 'input');
      }
      owner ??= asked.userId;
      answers.push(answer);
      requests.push(requestItem(asked));
      if (answer.status === 'resolved' && answer.approve && asked.kind === 'approval') {
        approved.push({ requestId: asked.id, callId: asked.callId ?? '' });
      }
    }
    return { owner, answers, requests, approved, rest };
  }
}

function isAnswer({ type }: Message): boolean {
  return type === 'mcp_approval_response';
}

/** What follows the last output of the assistant is new in this request. */
function isOutputOfAssistant({ type, role }: Message): boolean {
  return isOutput(type) || (role === 'assistant' && type !== 'mcp_approval_request');
}

/** The decision in the form of the interrupt store. */
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

/** The approval request as it was shown, rebuilt from the interrupt. */
function requestItem(asked: InterruptView): McpApprovalRequestItem {
  return {
    id: asked.id,
    type: 'mcp_approval_request',
    server_label: wireLabel(asked.serverLabel ?? ''),
    name: asked.toolName ?? '',
    arguments: asked.modelArguments ?? '{}',
  };
}
