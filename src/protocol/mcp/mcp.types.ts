import type { JsonObject } from '../../common/index.js';

/** The name of the wire. */
export const WIRE = 'mcp';

/** The revisions with sessions, the newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
/** A revision with sessions. */
export type LegacyVersion = (typeof LEGACY_VERSIONS)[number];
/** The revisions in which every request describes itself. */
export const MODERN_VERSIONS = ['2026-07-28'] as const;
/** All revisions that are served, the newest first. */
export const VERSIONS: readonly string[] = [...MODERN_VERSIONS, ...LEGACY_VERSIONS];

/** The members of `_meta` that the modern revision reserves. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const;
/** The extension for tasks. */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** The id of a JSON-RPC request. */
export type RpcId = string | number;

/** Who sends a message, in which era of the protocol, and what it can do (contract mcp-server, section 2). */
export interface Peer {
  readonly era: 'legacy' | 'modern';
  readonly version: string;
  /** The id of its session; undefined in the modern era. */
  readonly session: string | undefined;
  /** Whether it shows forms to people. */
  readonly hasForms: boolean;
  /** Whether it takes a task in place of a result. */
  readonly hasTasks: boolean;
  /** Whether it reads event streams. */
  readonly readsStreams: boolean;
  /** Who it is: what is sealed for one caller does not open for another. */
  readonly callerKey: string;
}

/** What this wire keeps with the runs of a call. */
export interface CallData {
  /** The id of the first run of the call. */
  readonly call: string;
  readonly era: Peer['era'];
  readonly version: string;
  /** The id of the JSON-RPC request. */
  readonly id: RpcId;
  /** Absent: no progress is reported. */
  readonly token?: RpcId;
  /** Whether questions go to the client as forms. */
  readonly asks: boolean;
  readonly tool: string;
  /** Of the arguments. */
  readonly digest: string;
  readonly caller: string;
  /** The id of the session; absent in the modern era. */
  readonly session?: string;
}

/** A message of JSON-RPC that the server sends, without its version. */
export type ServerMessage = JsonObject;
