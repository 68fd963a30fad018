import type { Json, JsonObject } from '../../../../common/index.js';
import { protocolFailure } from '../remote-failure.js';
import type { Turn } from '../remote-kind.js';

/** The members that decisions are told in. */
export const DECISION_MEMBERS = ['approved', 'approve', 'accepted'] as const;
type DecisionMember = (typeof DECISION_MEMBERS)[number];

/** How an interrupt is answered. */
export interface Answering {
  /** The upstream's id of the interrupt; empty if it has none. */
  readonly id: string;
  /**
   * Where the answer goes: into `resume`, or, of servers without it, into `forwardedProps.command`. `map`: there too, as one
   * of several by their ids.
   */
  readonly channel: 'resume' | 'command' | 'map';
  /** What a decision is: an object with this member, or only a boolean. `value`: no decision, but any value. */
  readonly shape: DecisionMember | 'boolean' | 'value';
}

/** The answers in a request. */
export interface Answers {
  readonly resume?: readonly JsonObject[];
  readonly command?: JsonObject;
}

/** What Mastra has between the ids of its run and of the call that it has suspended. */
const MASTRA_SEPARATOR = '::';
/** What servers without a word for it get when a question is declined. */
const DECLINED = 'No answer.';

/** The id of a Mastra interrupt, which its answer names in two parts. */
export function mastraId(runId: string, callId: string): string {
  return runId + MASTRA_SEPARATOR + callId;
}

/** How an interrupt is answered, as a text that our ledger keeps: the upstream's id alone where that says all. */
export function answeringText({ id, channel, shape }: Answering): string {
  const isUsual = channel === 'resume' && (shape === 'approved' || shape === 'value') && !id.startsWith('[');
  return isUsual ? id : JSON.stringify([channel, shape, id]);
}

/** What `answeringText` was made of. @param usual the shape of an id alone */
function answeringIn(text: string, usual: Answering['shape']): Answering {
  if (!text.startsWith('[')) return { id: text, channel: 'resume', shape: usual };
  const [channel, shape, id] = JSON.parse(text) as [Answering['channel'], Answering['shape'], string];
  return { id, channel, shape };
}

/** The answers to what the upstream has asked, decisions and inputs. @throws RemoteFailure if it takes fewer of them */
export function answersOf({ decisions, inputs }: Turn): Answers {
  const given = [
    ...decisions.map(({ requestId, approve, reason }): GivenAnswer => {
      const answering = answeringIn(requestId, 'approved');
      return { ...answering, isDeclined: false, payload: decisionAs(answering.shape, approve, reason) };
    }),
    ...inputs.map(({ key, value, isRefused }): GivenAnswer => {
      const answering = answeringIn(key, 'value');
      return { ...answering, isDeclined: isRefused, payload: value };
    }),
  ];
  const resume = given.filter(({ channel }) => channel === 'resume').map(resumeEntry);
  const [commanded, another] = given.filter(({ channel }) => channel === 'command');
  const mapped = given.filter(({ channel }) => channel === 'map');
  if (another) throw protocolFailure('The remote agent takes one answer at a time, and several are to be told');
  return {
    ...(resume.length > 0 && { resume }),
    ...(commanded && { command: commandOf(commanded) }),
    ...(mapped.length > 0 && { command: { resume: Object.fromEntries(mapped.map(answerById)) } }),
  };
}

interface GivenAnswer extends Answering {
  readonly isDeclined: boolean;
  readonly payload: Json;
}

function resumeEntry({ id: interruptId, isDeclined, payload }: GivenAnswer): JsonObject {
  return isDeclined ? { interruptId, status: 'cancelled' } : { interruptId, status: 'resolved', payload };
}

/** The older form: one answer, and of Mastra the event that it belongs to, as the client has got it. */
function commandOf({ id, isDeclined, payload }: GivenAnswer): JsonObject {
  const [runId, toolCallId] = splitOnce(id);
  if (toolCallId === undefined) return { resume: isDeclined ? DECLINED : payload };
  const interruptEvent = JSON.stringify({ type: 'mastra_suspend', toolCallId, runId });
  return { resume: isDeclined ? false : payload, interruptEvent };
}

function answerById({ id, isDeclined, payload }: GivenAnswer): readonly [string, Json] {
  return [id, isDeclined ? DECLINED : payload];
}

function splitOnce(id: string): readonly [string, string | undefined] {
  const at = id.indexOf(MASTRA_SEPARATOR);
  return at < 0 ? [id, undefined] : [id.slice(0, at), id.slice(at + MASTRA_SEPARATOR.length)];
}

function decisionAs(shape: Answering['shape'], approve: boolean, reason: string | undefined): Json {
  if (shape === 'boolean') return approve;
  // What else is told with `accepted` are other arguments of the call.
  if (shape === 'accepted') return { accepted: approve };
  return { [shape === 'approve' ? 'approve' : 'approved']: approve, ...(reason !== undefined && { reason }) };
}
