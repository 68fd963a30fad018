import fc from 'fast-check';
import { userReach } from '../../src/common/index.js';
import { readSettings } from '../../src/config/index.js';
import { LoggedEvent } from '../../src/events/index.js';
import { calls, endings, Interpreter } from '../../src/events/testing/random-program.js';
import { AgUiEncoder } from '../../src/protocol/ag-ui-events/index.js';
import { AgentApiEncoder } from '../../src/protocol/agent-api/agent-api.encoder.js';
import { AiSdkEncoder } from '../../src/protocol/ai-sdk/ai-sdk.encoder.js';
import { completionInfo } from '../../src/protocol/chat-completions/completion-info.js';
import { CompletionEncoder } from '../../src/protocol/chat-completions/completion.encoder.js';
import { HttpSettings } from '../../src/protocol/http/index.js';
import { responseInfo } from '../../src/protocol/responses/response-info.js';
import { ResponsesEncoder } from '../../src/protocol/responses/responses.encoder.js';
import { RunsEncoder } from '../../src/protocol/runs/runs.encoder.js';
import { type FrameEncoder, RunStreams } from '../../src/protocol/wire/index.js';
import { ResumeCache } from '../../src/protocol/wire/resume-cache.js';
import { DisconnectPolicy } from '../../src/protocol/wire/disconnect-policy.js';
import { CountingWire, FakeClient, settled } from '../../src/protocol/wire/testing/counting-wire.js';
import type { RunView } from '../../src/run/index.js';
import { FakeRuns } from '../support/fake-runs.js';
import { NEVER_DRAINED, NO_WATCH } from '../support/caller.js';
import { textLog } from '../support/scripted-log.js';

const reach = userReach({ tenantId: 'default', userId: 'alice' });
const history = (): Promise<readonly never[]> => Promise.resolve([]);
const ENCODERS: Readonly<Record<string, (run: RunView) => FrameEncoder>> = {
  'agent-api': () => new AgentApiEncoder({ doneFrame: true }),
  responses: (run) => new ResponsesEncoder(responseInfo(run)),
  runs: (run) => new RunsEncoder(run, { history }),
  'chat-completions': (run) => new CompletionEncoder(completionInfo(run)),
  'ai-sdk': ({ runId }) =>
    new AiSdkEncoder({
      run: { runId, createdAt: 0 },
      level: 6,
      hasMetadata: true,
      isStatic: () => false,
      shown: (content) => content,
      before: { messageId: 'answer_1', earlier: [], outputs: [], discarded: new Set(), decided: [] },
    }),
  'ag-ui': ({ sessionId: threadId, runId }) => new AgUiEncoder({ threadId, runId, generation: 'v1', history }),
};

/** What happens to one connection after another. */
const connections = fc.array(
  fc.record({
    /** Which of two clients connects. */
    client: fc.nat(1),
    /** Events that are committed while it is open. */
    events: fc.nat(12),
    /** Frames that were sent and not received when it breaks. */
    lost: fc.oneof(fc.constant(0), fc.nat(4)),
    /** False: the server has forgotten the encoder meanwhile, as after a restart. */
    isKept: fc.oneof(fc.constant(true), fc.boolean()),
  }),
  { minLength: 1, maxLength: 6 },
);

describe.each(Object.entries(ENCODERS))('frames of %s after any number of cuts', (_, encoderOf) => {
  it('are those of a stream that was never cut', async () => {
    await fc.assert(
      fc.asyncProperty(calls, endings, connections, async (program, ending, cuts) => {
        const interpreter = new Interpreter();
        interpreter.run(program);
        interpreter.try(() => interpreter.end(ending));
        const log = interpreter.texts.map((text, seq) => new LoggedEvent(seq, text, undefined, seq));
        const reader = new CutReader(encoderOf);
        const whole = await reader.whole(log);
        reader.begin();
        let committed = 0;
        for (const { client, events, lost, isKept } of cuts) {
          reader.become(client);
          await reader.connect();
          await reader.commit(log.slice(committed, committed + events));
          committed += events;
          reader.disconnect(lost, isKept);
        }
        await reader.connect();
        await reader.commit(log.slice(committed));
        expect(reader.frames).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });
});

it.each(Object.entries(ENCODERS))(
  '%s counts the frames that a reader has, and does not write them',
  async (_, encoderOf) => {
    const runs = new FakeRuns();
    const log = textLog(['one', 'two', 'three', 'four'], 'r');
    runs.add('r', log);
    const run = await runs.view(reach, 'r');
    const [whole, rest] = [encoderOf(run), encoderOf(run)];
    rest.discardFirst?.(7);
    const frames = log.flatMap((event) => whole.next(event));
    expect(log.flatMap((event) => rest.next(event))).toEqual([
      ...Array.from({ length: 7 }, () => ''),
      ...frames.slice(7),
    ]);
  },
);

/** Reads a run over many connections, for one of two clients at a time. */
class CutReader {
  /** The frames that the present client received. */
  frames: string[] = [];
  /** Those of the clients. */
  private received: string[][] = [];
  private readonly runs = new FakeRuns();
  private readonly wire = new CountingWire();
  private readonly encoders = new ResumeCache(readSettings(HttpSettings, {}));
  private readonly streams: RunStreams;
  private client = new FakeClient();
  private leave = (): void => undefined;

  constructor(private readonly encoderOf: (run: RunView) => FrameEncoder) {
    const disconnects = new DisconnectPolicy(this.runs, NEVER_DRAINED);
    this.streams = new RunStreams(this.runs, NEVER_DRAINED, disconnects, this.encoders, NO_WATCH);
  }

  /** The frames of a log on one connection. */
  async whole(log: readonly LoggedEvent[]): Promise<readonly string[]> {
    this.begin();
    await this.connect();
    await this.commit(log);
    return this.frames;
  }

  /** A new run. */
  begin(): void {
    this.leave();
    this.received = [[], []];
    this.become(0);
    this.runs.add('r', []);
  }

  /** The client that connects next. */
  become(client: number): void {
    this.frames = this.received[client] ?? [];
  }

  /** Continues after the frames that were received. */
  async connect(): Promise<void> {
    const run = await this.runs.view(reach, 'r');
    const options = { wire: this.wire, encoder: this.encoderOf(run) };
    const cursor = {
      seen: this.frames.length,
      ahead: (count: number) => new Error(`there are ${count} frames`) as never,
    };
    this.client = new FakeClient();
    const stream =
      this.frames.length === 0
        ? this.streams.follow(run, this.client, options)
        : await this.streams.resume(run, this.client, { ...options, cursor });
    this.leave = this.client.read(stream);
    this.receive();
  }

  /** Commits events and receives their frames. */
  async commit(events: readonly LoggedEvent[]): Promise<void> {
    for (const event of events) {
      this.runs.append('r', [event]);
      await settled();
    }
    await settled();
    expect(this.client.error).toBeUndefined();
    this.receive();
  }

  /** Breaks the connection, of which the last frames do not arrive. */
  disconnect(lost: number, isKept: boolean): void {
    this.leave();
    this.frames.length = Math.max(0, this.frames.length - lost);
    if (!isKept) this.encoders.beforeApplicationShutdown();
  }

  /** Takes what was sent; the wait for a reconnection is in the first frame of every connection. */
  private receive(): void {
    const sent = this.client.frames.splice(0).join('').replace('\nretry: 1000', '');
    this.frames.push(
      ...sent
        .split('\n\n')
        .slice(0, -1)
        .filter((frame) => frame !== 'data: [DONE]'),
    );
  }
}
