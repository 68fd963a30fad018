import type { Answer } from './answer.js';

/** What a scripted stream does. Every stream of a cell has the same script. */
export interface Script {
  /** Text pieces of one stream. */
  readonly n: number;
  /** Pieces per turn of the event loop. */
  readonly k: number;
  /** Milliseconds between two bursts; 0: the next turn of the event loop. */
  readonly ms: number;
  /** Characters that each piece has at least. */
  readonly pad: number;
  /** True: each piece replaces the text, so that a long stream does not end in a huge answer. */
  readonly replace: boolean;
}

/** A script with the usual values filled in. */
export function script(given: Partial<Script> & { readonly n: number }): Script {
  return { k: 1, ms: 0, pad: 0, replace: false, ...given };
}

/** The script of a query string or of a request's own properties. */
export function readScript(source: Readonly<Record<string, unknown>>): Script {
  return {
    n: Number(source.n),
    k: Number(source.k ?? 1),
    ms: Number(source.ms ?? 0),
    pad: Number(source.pad ?? 0),
    replace: String(source.replace) === 'true',
  };
}

/** What a server process is asked over its side channel. */
export type ServerQuestion =
  | { readonly ask: 'usage' }
  | { readonly ask: 'heap' }
  | { readonly ask: 'delay' }
  | { readonly ask: 'profile'; readonly file?: string }
  | { readonly ask: 'stall' }
  | { readonly ask: 'writes'; readonly counting: boolean }
  | { readonly ask: 'key' }
  | { readonly ask: 'gone' }
  | { readonly ask: 'replay'; readonly runId: string }
  | { readonly ask: 'reply'; readonly frames: readonly string[] };

/** What a server process answers; only the fields that were asked for. */
export interface ServerAnswer {
  /** User and system time of the process so far, in microseconds. */
  readonly cpu?: number;
  /** Resident memory in bytes. */
  readonly rss?: number;
  /** The part of it in which young objects are allocated, in bytes: V8 makes it larger and smaller as it sees fit. */
  readonly young?: number;
  /** Bytes of the heap in use after a full collection. */
  readonly heap?: number;
  /** 99th percentile of the event loop's delay since the last question, in milliseconds. */
  readonly delayMs?: number;
  /** Longest delay of the event loop since the last question, in milliseconds. */
  readonly stallMs?: number;
  /** Writes to sockets since counting began. */
  readonly writes?: number;
  /** A new API key. */
  readonly key?: string;
  /** Milliseconds until no stream was open. */
  readonly goneMs?: number;
  /** Frames of a replay. */
  readonly frames?: number;
  readonly error?: string;
}

/** What the load process is asked to do. */
export type Load =
  | {
      readonly do: 'streams';
      readonly url: string;
      readonly post?: unknown;
      readonly streams: number;
      readonly script: Script;
    }
  | {
      readonly do: 'requests';
      readonly url: string;
      readonly post: unknown;
      readonly requests: number;
      readonly connections: number;
    }
  | {
      readonly do: 'open';
      readonly url: string;
      readonly post?: unknown;
      readonly streams: number;
      readonly reading: boolean;
    }
  | { readonly do: 'drop' }
  | { readonly do: 'fetch'; readonly url: string; readonly post?: unknown };

/** What came of it. */
export interface LoadResult {
  /** Text pieces received. */
  readonly events?: number;
  readonly ms?: number;
  /** From the request to the first piece, in milliseconds, one per stream. */
  readonly first?: readonly number[];
  /** From the making of a piece to its arrival, in milliseconds. */
  readonly latency?: readonly number[];
  readonly requests?: number;
  readonly frames?: readonly string[];
  readonly runId?: string;
  readonly error?: string;
}

/** The agent of every Parley that runs elsewhere: at the model's server, over AG-UI. */
export const REMOTE_AGENT = 'far';

/** Whom the load speaks to: the baseline, Parley over one of its wires, or its remote agent over Responses. */
export type WireName = 'relay' | 'responses' | 'remote' | 'chat-completions' | 'agent-api' | 'runs' | 'ai-sdk';

interface Target {
  readonly wire: WireName;
  readonly port: number;
  readonly answer: Answer;
}

/** What the load process of the rows with a model is asked to do. */
export type AnswerLoad =
  | (Target & { readonly do: 'streams'; readonly streams: number })
  | (Target & { readonly do: 'requests'; readonly requests: number; readonly connections: number })
  | (Target & { readonly do: 'open'; readonly streams: number })
  | { readonly do: 'drop' }
  | (Target & { readonly do: 'storm'; readonly streams: number; readonly cutAfter: number })
  | (Target & { readonly do: 'steady'; readonly perSecond: number; readonly seconds: number })
  | FleetLoad;

/** A load on two instances of one fleet, over the Runs API. */
export type FleetLoad = {
  /** Where runs are accepted. */
  readonly port: number;
  /** The other instance. */
  readonly otherPort: number;
  readonly answer: Answer;
} & (
  | { readonly do: 'lag'; readonly streams: number }
  | { readonly do: 'both'; readonly streams: number }
  | { readonly do: 'remote'; readonly streams: number }
  | { readonly do: 'remoteEnds' }
  | { readonly do: 'cancels'; readonly requests: number }
);

/** What came of it. Times are milliseconds. */
export interface AnswerResult {
  /** Pieces received, all of them checked. */
  readonly events?: number;
  readonly requests?: number;
  readonly ms?: number;
  /** From the request to the first piece, one per stream. */
  readonly first?: readonly number[];
  /** How much later than the model's schedule the last piece came, one per stream. */
  readonly late?: readonly number[];
  /** From the cut to the next piece, one per stream. */
  readonly gaps?: readonly number[];
  /** The whole time of each request. */
  readonly took?: readonly number[];
  /** How much later each piece came at the reader of another instance. */
  readonly lags?: readonly number[];
  readonly error?: string;
}
