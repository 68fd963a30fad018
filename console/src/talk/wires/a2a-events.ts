import { BrokenStream } from '../../api/client.js';
import { isObject } from '../../lib/format.js';
import type { LiveRun, PendingCall } from '../live-run.js';

/** The extension by which the server shows tool calls and reasoning (contract a2a, section 9.6). */
export const PROGRESS = 'urn:parley:a2a:progress:v1';

type Fields = Readonly<Record<string, unknown>>;

/** Sessions whose task waits for a decision that A2A does not take. */
const decidedElsewhere = new Set<string>();

/** Whether the decisions that a session waits for are not taken over A2A (`A2A_APPROVALS`). */
export function isDecidedElsewhere(session: string): boolean {
  return decidedElsewhere.has(session);
}

/** Turns the frames of a task into entries of the conversation. The frames of one run are meant. */
export class A2aReader {
  /** How the first frame says that the task stands. It counts if no update follows. */
  private before: Fields | undefined;
  private thoughts = 0;

  constructor(private readonly run: LiveRun) {}

  /** @throws BrokenStream if the server has cut the stream; Error for another error of the server */
  read(frame: Fields): void {
    this.run.received();
    const { task, message, statusUpdate, artifactUpdate, error } = frame;
    if (isObject(error)) throw failureOf(error);
    if (isObject(task)) this.task(task);
    else if (isObject(message)) this.reply(message);
    else if (isObject(statusUpdate)) this.status(statusUpdate);
    else if (isObject(artifactUpdate)) this.artifact(artifactUpdate);
  }

  /** The stream has ended. A task that was over or waited already has no update. */
  end(): void {
    if (this.before) this.status({ status: this.before });
  }

  /** What the task has so far: of this run alone, because what earlier runs said is shown. */
  private task(task: Fields): void {
    for (const artifact of listOf(task['artifacts'])) {
      const known = this.run.transcript.get(text(artifact['artifactId']));
      if (known === undefined || known.run === this.run.id) this.artifact({ artifact });
    }
    this.before = isObject(task['status']) ? task['status'] : undefined;
  }

  /** A message in place of a task. */
  private reply({ messageId, parts }: Fields): void {
    this.artifact({ artifact: { artifactId: messageId, parts }, lastChunk: true });
    this.run.finished('completed');
  }

  private artifact({ artifact, append, lastChunk, metadata }: Fields): void {
    const { artifactId, parts } = isObject(artifact) ? artifact : ({} as Fields);
    const id = text(artifactId);
    const { transcript, id: run } = this.run;
    this.before = undefined;
    if (append !== true) transcript.remove((entry) => entry.id === id || entry.id.startsWith(`${id}#`));
    if (isObject(metadata) && metadata['discarded'] === true) return;
    for (const part of listOf(parts)) this.part(id, part);
    if (lastChunk === true) transcript.change(id, 'text', () => ({ done: true }));
    else if (transcript.get(id) === undefined && listOf(parts).some((part) => 'text' in part))
      transcript.put({ kind: 'text', id, text: '', done: false, run });
  }

  private part(artifact: string, { text: words, url, raw, mediaType }: Fields): void {
    const { transcript, id: run } = this.run;
    if (typeof words === 'string' && words !== '') {
      const known = transcript.get(artifact);
      const before = known?.kind === 'text' ? known.text : '';
      transcript.put({ kind: 'text', id: artifact, text: before + words, done: false, run });
    } else if (text(mediaType).startsWith('image/')) {
      const address = typeof url === 'string' ? url : `data:${text(mediaType)};base64,${text(raw)}`;
      const count = transcript.current.filter(({ id }) => id.startsWith(`${artifact}#`)).length;
      transcript.put({ kind: 'image', id: `${artifact}#${count}`, url: address, run });
    }
  }

  private status({ status, metadata }: Fields): void {
    this.before = undefined;
    const progress = isObject(metadata) ? metadata[PROGRESS] : undefined;
    if (isObject(progress)) return this.progress(progress);
    const { state, message } = isObject(status) ? status : ({} as Fields);
    const { run } = this;
    decidedElsewhere.delete(run.session);
    switch (state) {
      case 'TASK_STATE_INPUT_REQUIRED':
        return this.asked(isObject(message) ? listOf(message['parts']) : []);
      case 'TASK_STATE_AUTH_REQUIRED':
        decidedElsewhere.add(run.session);
        return run.finished('interrupted');
      case 'TASK_STATE_COMPLETED':
        if (isObject(metadata) && 'incomplete' in metadata)
          run.say('warning', `The answer was cut (${text(metadata['incomplete'])})`);
        return run.finished('completed');
      case 'TASK_STATE_FAILED':
      case 'TASK_STATE_REJECTED':
        run.say('error', errorOf(isObject(message) ? message : {}));
        return run.finished('failed');
      case 'TASK_STATE_CANCELED':
        return run.finished('cancelled');
    }
  }

  /** The task asks: for decisions, inputs, or results of tools of this page. */
  private asked(parts: readonly Fields[]): void {
    const { run } = this;
    const questions = parts.flatMap(({ data }) => (isObject(data) ? [data] : []));
    run.pending = questions.flatMap((question): readonly PendingCall[] => {
      const call = {
        callId: text(question['callId']),
        name: text(question['tool']),
        args: text(question['arguments']),
      };
      if (call.callId !== '') this.call(call);
      return question['type'] === 'client_tool_call' ? [call] : [];
    });
    run.finished('interrupted');
  }

  private progress(value: Fields): void {
    const { transcript, id: run } = this.run;
    const callId = text(value['callId']);
    if (value['type'] === 'tool_call') {
      this.call({ callId, name: text(value['tool']), args: text(value['arguments']) });
    } else if (value['type'] === 'tool_output') {
      transcript.change(callId, 'call', () => ({ result: text(value['output']), done: true }));
    } else if (value['type'] === 'reasoning') {
      this.thoughts += 1;
      const id = `reasoning-${run}-${this.thoughts}`;
      transcript.put({ kind: 'reasoning', id, text: text(value['text']), done: true, run });
    }
  }

  private call({ callId, name, args }: PendingCall): void {
    const { transcript, id: run } = this.run;
    if (transcript.get(callId) === undefined) transcript.put({ kind: 'call', id: callId, name, args, done: true, run });
  }
}

/** The error of a frame. Of a stream that the server cuts, the task goes on. */
function failureOf({ message, details }: Fields): Error {
  const [first] = listOf(details);
  return first?.['reason'] === 'STREAM_CLOSED' ? new BrokenStream(text(message)) : new Error(text(message));
}

/** What a failed task says, with the code. */
function errorOf({ parts, metadata }: Fields): string {
  const said = listOf(parts)
    .map((part) => text(part['text']))
    .join('');
  const code = isObject(metadata) ? text(metadata['code']) : '';
  return code === '' ? said : `${said} (${code})`;
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}
