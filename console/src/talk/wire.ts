import type { InterruptAnswer, Schema } from '../api/types.js';
import type { TalkWire } from '../lib/wires.js';
import type { LiveRun } from './live-run.js';

/** A tool that this page offers to the agent. */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Schema;
}

/** The result of a call of a client tool. */
export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly output: string;
}

/** The answer to one interrupt. */
export interface AnswerTo extends InterruptAnswer {
  readonly interruptId: string;
  readonly kind: 'approval' | 'input';
}

/** An image that goes with a message. */
export interface Image {
  readonly url: string;
  readonly mimeType: string;
}

/** What the person sends: a message, results of client tools, or answers to interrupts. */
export interface Turn {
  /** The user that it is sent for; undefined if the credential determines it. */
  readonly user: string | undefined;
  readonly session: string;
  /** Whether the session begins with it. */
  readonly isFirst: boolean;
  /** Chosen here, so that the turn can be sent again when it is not known whether it arrived. */
  readonly runId: string;
  /** An agent type; empty: the server's default. */
  readonly agent: string;
  readonly text: string;
  readonly images: readonly Image[];
  readonly results: readonly ToolResult[];
  readonly answers: readonly AnswerTo[];
  readonly tools: readonly ClientTool[];
}

/** One way to talk to the server: a wire, through the client that browsers use for it. */
export interface WireClient {
  /** Whether the wire itself can carry these answers of a session. Others are given under `/interrupts`. */
  takes(answers: readonly AnswerTo[], session: string): boolean;
  /** Sends a turn and reads the answer. Returns when the stream ends, whether or not the run did. */
  send(turn: Turn, run: LiveRun): Promise<void>;
  /** Reads on after what the run has, or reads it again from its beginning. Returns as `send`. */
  watch(run: LiveRun): Promise<void>;
}

/** A wire of the list. */
export interface WireChoice {
  readonly name: TalkWire;
  /** The client that the page uses. */
  readonly client: string;
  /** Whether a request can name an agent. */
  readonly hasAgents: boolean;
  /** Whether the page can offer tools of its own. */
  readonly hasTools: boolean;
  /** Whether a message can have images. */
  readonly hasImages: boolean;
  /** Loads the client: the first page does not need it. */
  readonly load: () => Promise<WireClient>;
}
