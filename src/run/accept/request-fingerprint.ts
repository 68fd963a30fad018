import { fingerprint } from '../../common/index.js';
import type { RunRequest } from '../run.types.js';

/**
 * The fingerprint of what must be equal for a request to count as repeated. Ids of messages are left out, because
 * the server may have chosen them.
 */
export function requestFingerprint(request: RunRequest): string {
  return fingerprint({
    agentType: request.agentType,
    session: request.sessionGiven === false ? null : [request.principal.userId, request.sessionId],
    input: request.input.map(({ role, type, content }) => ({ role, type, content: content?.map(withoutMessageId) })),
    clientTools: request.clientTools,
    modelOptions: request.modelOptions,
    clientTime: request.clientTime,
    forwardedProps: request.forwardedProps,
    answers: request.answers,
    ...additions(request),
  });
}

/** Fields that only some requests have. Absent ones change nothing, so fingerprints of earlier versions stay valid. */
function additions({ after, state, systemPrompt, store, parentRunId, toolRestrictions }: RunRequest): object {
  const unstored = store === false ? false : undefined;
  return { after, state, systemPrompt, parentRunId, toolLimits: toolRestrictions, store: unstored };
}

function withoutMessageId(content: object): object {
  return { ...content, msg_id: undefined };
}
