/* eslint-disable max-lines -- Written by scripts/console-types.mjs from docs/openapi.json. Do not edit it. */

/** ActorDto of docs/openapi.json. */
export interface ActorDto {
  /** The account of a key. */
  readonly account?: string;
  /** The id of the key, or the name of the user. */
  readonly id: string;
  /** What the credential is. */
  readonly kind: 'key' | 'user' | 'proxy' | 'cli' | 'none';
}

/** AgentDto of docs/openapi.json. */
export interface AgentDto {
  readonly description: string;
  readonly exposure: 'public' | 'internal';
  /** Whether requests that name no agent get this one. */
  readonly isDefault: boolean;
  /** Model calls that one run of it may make. */
  readonly maxSteps: number;
  /** The model that answers requests which name none: the one that the agent has chosen, or the default one, by its `name` in the list of models. Null for an agent that runs elsewhere. */
  readonly model: string | null;
  /** What it asks of the model with every call; options of a request take precedence. */
  readonly modelOptions: Readonly<Record<string, unknown>>;
  /** The agent type. */
  readonly name: string;
  /** What happens with a run whose worker was lost. */
  readonly recovery: 'journal' | 'restart' | 'fail';
  /** Of an agent that runs elsewhere; for callers with the scope `ops:read`. */
  readonly remote?: RemoteAgentDto;
  /** Names and globs of the tools of the server that it has; null: all. */
  readonly tools: readonly string[] | null;
}

/** AmountDto of docs/openapi.json. */
export interface AmountDto {
  /** In billionths of the unit of the currency. */
  readonly cost: number;
  readonly tokens: number;
}

/** ApiKeyDto of docs/openapi.json. */
export interface ApiKeyDto {
  /** The identity of the caller; it survives rotations. */
  readonly account: string;
  readonly createdAt: string;
  /** Kind and id of who created it. */
  readonly createdBy: string;
  /** null: never. */
  readonly expiresAt: string | null;
  /** A part of the key, which identifies it. */
  readonly id: string;
  /** Accurate to a minute. */
  readonly lastUsedAt: string | null;
  /** The network of the last use. */
  readonly lastUsedNetwork: string | null;
  /** Limits of the key itself, per minute. */
  readonly limits: Readonly<Record<string, unknown>> | null;
  readonly name: string | null;
  /** Where the key is accepted from; null for everywhere. */
  readonly networks: readonly string[] | null;
  /** Until when a rotated key works. */
  readonly overlapUntil: string | null;
  readonly revokedAt: string | null;
  readonly revokedBy: string | null;
  readonly scopes: readonly string[];
  /** `rotated`: the key works until `overlapUntil`. */
  readonly status: 'active' | 'rotated' | 'expired' | 'revoked';
  readonly tenant: string;
  /** The user that the key always acts for. */
  readonly user: string | null;
}

/** ApproversDto of docs/openapi.json. */
export interface ApproversDto {
  /** Whether somebody else than the owner and the starter of the run has to decide. */
  readonly notOwner: boolean;
  /** Patterns of role names, of which one must match; empty: any role. */
  readonly roles: readonly string[];
}

/** AuditActorDto of docs/openapi.json. */
export interface AuditActorDto {
  readonly account?: string;
  /** The id of a key, the pseudonym of a user, or a name. */
  readonly id: string;
  /** The id of the key. */
  readonly keyId?: string;
  readonly kind: 'key' | 'user' | 'proxy' | 'cli' | 'none' | 'server';
}

/** AuditItemDto of docs/openapi.json. */
export interface AuditItemDto {
  /** What people and models wrote, such as arguments and reasons; null without it, once it is erased, and with a `contentBreak`. */
  readonly content: Readonly<Record<string, unknown>> | null;
  /** A sentence if the content is not what was written with the line, as `GET /audit/verify` finds it. */
  readonly contentBreak: string | null;
  /** The seal; null until it is sealed. */
  readonly hash: string | null;
  readonly line: AuditLineDto;
  /** The users that the pseudonyms of the line stand for; without those that were erased. */
  readonly users: Readonly<Record<string, string>>;
}

/** AuditLineDto of docs/openapi.json. */
export interface AuditLineDto {
  readonly action: string;
  readonly actor: AuditActorDto;
  readonly at: string;
  readonly callId?: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly interruptId?: string;
  readonly network?: string;
  /** The pseudonym of the user that it was done for. */
  readonly onBehalfOf?: string;
  readonly outcome: 'done' | 'refused';
  /** HMAC of the content under a random key that is kept with it. */
  readonly payloadHash?: string;
  /** The id of the request in the log of the server. */
  readonly requestId?: string;
  readonly runId?: string;
  /** Its number in its chain; null until it is sealed. */
  readonly seq: number | null;
  readonly subject?: AuditSubjectDto;
  /** As the tenant was called then; null for a line of the operator. */
  readonly tenant: string | null;
  readonly toolName?: string;
}

/** AuditSubjectDto of docs/openapi.json. */
export interface AuditSubjectDto {
  readonly id: string;
  readonly kind: string;
}

/** AuditVerificationDto of docs/openapi.json. */
export interface AuditVerificationDto {
  /** Lines whose content was erased. */
  readonly erased: number;
  readonly firstBreak: ChainBreakDto | null;
  /** The last line that was checked: a checkpoint. */
  readonly head: CheckpointDto | null;
  /** Sealed lines that were checked. */
  readonly lines: number;
  /** Lines that are not sealed yet. */
  readonly unsealed: number;
  readonly whole: boolean;
}

/** BudgetDto of docs/openapi.json. */
export interface BudgetDto {
  readonly action: 'block' | 'warn';
  /** In billionths of the unit. */
  readonly cost: number | null;
  readonly createdAt: string;
  readonly id: string;
  /** The user, agent or account; `*` for each without a budget of its own. */
  readonly name: string;
  readonly subject: 'tenant' | 'user' | 'agent' | 'account';
  /** Tokens of input and output. */
  readonly tokens: number | null;
  readonly updatedAt: string;
  /** Percentages at which people are told. */
  readonly warnAt: readonly number[];
  readonly window: 'run' | 'day' | 'month' | 'total';
}

/** BudgetStateDto of docs/openapi.json. */
export interface BudgetStateDto {
  readonly action: 'block' | 'warn';
  readonly id: string;
  readonly left: LimitDto;
  readonly limit: LimitDto;
  /** The user, agent or account; `*` for the tenant, and for each that has used nothing yet. */
  readonly name: string;
  /** For model calls that are being made. */
  readonly reserved: AmountDto;
  /** When the period ends. */
  readonly resetsAt: string | null;
  readonly subject: 'tenant' | 'user' | 'agent' | 'account';
  readonly used: AmountDto;
  readonly window: 'day' | 'month' | 'total';
}

/** ChainBreakDto of docs/openapi.json. */
export interface ChainBreakDto {
  readonly kind: 'changed' | 'missing' | 'reordered' | 'cut' | 'unknown_key';
  readonly message: string;
  /** Of the first line that is concerned. */
  readonly seq: number;
}

/** CheckpointDto of docs/openapi.json. */
export interface CheckpointDto {
  readonly at: string;
  readonly chain: string;
  readonly hash: string;
  readonly seq: number;
}

/** ConsoleInfoDto of docs/openapi.json. */
export interface ConsoleInfoDto {
  /** How callers are authenticated; empty: everyone may use the server. */
  readonly authentication: readonly ('keys' | 'oidc' | 'proxy')[];
  readonly product: string;
  /** The providers whose configuration has a `console` client. */
  readonly signIn: readonly SignInDto[];
  readonly version: string;
  /** The wires in whose frames any run can be shown. */
  readonly wires: readonly WireDto[];
}

/** DecidedByDto of docs/openapi.json. */
export interface DecidedByDto {
  readonly actor: DeciderActorDto;
  readonly requestId: string;
  /** The user that it acted for. */
  readonly userId: string;
}

/** DeciderActorDto of docs/openapi.json. */
export interface DeciderActorDto {
  /** The account of a key. */
  readonly account?: string;
  readonly id: string;
  readonly kind: 'key' | 'user' | 'proxy' | 'cli' | 'none';
}

/** DeliveryAttemptDto of docs/openapi.json. */
export interface DeliveryAttemptDto {
  readonly at: string;
  readonly durationMs: number;
  /** Of the answer; null without one. */
  readonly status: number | null;
  /** The first bytes of the answer, or what went wrong. */
  readonly text: string;
}

/** ErasureDto of docs/openapi.json. */
export interface ErasureDto {
  /** How many rows of each kind were removed so far. Kinds that end in `Kept` were kept, under a pseudonym. Kinds without rows are left out. */
  readonly counts: Readonly<Record<string, number>>;
  readonly finishedAt: string | null;
  readonly jobId: string;
  readonly requestedAt: string;
  /** While it is `erasing`, the user can store nothing. `clearing`: all rows are removed, their bytes in the files of the database may not be. */
  readonly status: 'erasing' | 'clearing' | 'done';
}

/** EventPageDto of docs/openapi.json. */
export interface EventPageDto {
  readonly data: readonly LoggedEventDto[];
  /** The `after` of the next page; null if no committed event follows. A page looks at 5,000 events at most, so with `text` or `type` it may have fewer than `limit` events, or none, although more follow. */
  readonly nextCursor: string | null;
  /** How many events the run has so far. */
  readonly total: number;
}

/** InterruptAnswerDto of docs/openapi.json. */
export interface InterruptAnswerDto {
  /** The decision about an approval. */
  readonly approve?: boolean;
  /** Replaces all arguments of the call, if `mayEdit` is true. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** true: nobody will answer. An approval is denied then. */
  readonly cancel?: boolean;
  /** The input: any JSON that matches the response schema. */
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly reason?: string;
}

/** InterruptDecisionDto of docs/openapi.json. */
export interface InterruptDecisionDto {
  /** Of an approval. */
  readonly approve?: boolean;
  /** Of an approval: the arguments that replaced those of the model. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Of an approval: their JSON text, if they have integers beyond 2^53. */
  readonly argumentsText?: string;
  /** Of an input: the value. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Why it was denied, or not answered. */
  readonly reason?: string;
}

/** InterruptDto of docs/openapi.json. */
export interface InterruptDto {
  /** The agent; null once the run is removed. */
  readonly agent: string | null;
  readonly answeredAt: string | null;
  /** null: whoever may decide approvals. */
  readonly approvers: ApproversDto | null;
  /** The arguments as the model wrote them. */
  readonly arguments: Readonly<Record<string, unknown>> | null;
  /** The call that needs the approval. */
  readonly callId: string | null;
  readonly createdAt: string;
  /** Who answered it. Absent without authentication. */
  readonly decidedBy?: DecidedByDto;
  readonly decision: InterruptDecisionDto | null;
  readonly expiresAt: string | null;
  readonly id: string;
  readonly kind: 'approval' | 'input';
  /** Whether the arguments may be changed. */
  readonly mayEdit: boolean;
  /** The message for the person. */
  readonly message: string | null;
  /** Why the policy requires an approval. */
  readonly reason: string | null;
  /** Why the caller may not answer it; null if it may, and once it no longer waits. */
  readonly refusal: string | null;
  /** The first 200 characters of the text of the user that led to it. */
  readonly request: string | null;
  /** The JSON Schema of the input. */
  readonly responseSchema: Readonly<Record<string, unknown>> | null;
  /** The run that continues with the decision. */
  readonly resumedByRunId: string | null;
  /** The run that was interrupted. */
  readonly runId: string;
  /** The MCP server; `local` for a tool of this server. */
  readonly serverLabel: string | null;
  readonly sessionId: string;
  readonly status: 'pending' | 'approved' | 'denied' | 'answered' | 'cancelled' | 'expired';
  readonly toolName: string | null;
  /** The user whose run asks. */
  readonly userId: string;
}

/** JournalStepDto of docs/openapi.json. */
export interface JournalStepDto {
  /** null until it is finished. */
  readonly endedAt: string | null;
  readonly key: string;
  /** The messages that it has written. */
  readonly messageIds: readonly string[];
  /** What a recovered run gets instead of repeating it. */
  readonly output: Readonly<Record<string, unknown>> | null;
  /** null in journals of earlier versions. */
  readonly startedAt: string | null;
  /** failed: `output` has the `error`. */
  readonly status: 'begun' | 'finished' | 'failed';
}

/** LastRunDto of docs/openapi.json. */
export interface LastRunDto {
  readonly agent: string;
  readonly id: string;
  /** The first words of its input. */
  readonly input: string | null;
  readonly status: string;
  /** As `waitsFor` of a run. */
  readonly waitsFor: 'approval' | 'input' | 'client' | null;
  readonly wire: string;
}

/** LimitDto of docs/openapi.json. */
export interface LimitDto {
  readonly cost: number | null;
  readonly tokens: number | null;
}

/** ListedAttachmentDto of docs/openapi.json. */
export interface ListedAttachmentDto {
  readonly createdAt: string;
  /** When it is deleted; null while a session refers to it. */
  readonly deleteAfter: string | null;
  readonly filename: string;
  readonly height: number;
  readonly id: string;
  readonly mimeType: string;
  /** Of the bytes, as hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** A signed URL of the content, made for this answer. */
  readonly url: string;
  /** Until when the URL works. */
  readonly urlExpiresAt: string;
  readonly userId: string;
  readonly width: number;
}

/** ListedRemoteAgentDto of docs/openapi.json. */
export interface ListedRemoteAgentDto {
  /** Without secrets. */
  readonly address: string;
  readonly description: string;
  readonly exposure: 'public' | 'internal';
  /** Exchanges in progress. */
  readonly inFlight: number;
  /** The protocol. */
  readonly kind: string;
  readonly lastError: RemoteFailureDto | null;
  /** Its agent type. */
  readonly name: string;
  /** What becomes of an exchange whose connection or process is lost; `resend`: it begins again. */
  readonly onLoss: 'continue' | 'fail' | 'resend';
  /** Connections that were lost and made again. */
  readonly reattachments: number;
  /** Whether the server is not ready while it does not answer. */
  readonly required: boolean;
  /** `idle`: not asked yet. */
  readonly state: 'idle' | 'up' | 'down';
}

/** LoggedEventDto of docs/openapi.json. */
export interface LoggedEventDto {
  /** When it was committed. */
  readonly at: string;
  readonly event: Readonly<Record<string, unknown>>;
  /** Its number in the log, from 0, without gaps. */
  readonly seq: number;
  readonly type:
    'response' | 'message' | 'content' | 'state' | 'step' | 'activity' | 'custom' | 'raw' | 'subagent' | 'interrupt';
}

/** McpServerDto of docs/openapi.json. */
export interface McpServerDto {
  readonly label: string;
  /** Whether the server is not ready without it. */
  readonly required: boolean;
  /** idle: not used yet. */
  readonly state: 'idle' | 'connecting' | 'up' | 'down';
  /** The names of its tools that are available now. */
  readonly tools: readonly string[];
}

/** ModelCheckDto of docs/openapi.json. */
export interface ModelCheckDto {
  readonly name: 'text' | 'tool' | 'tool result' | 'JSON' | 'limit' | 'image';
  /** Why it does not work, in one sentence. */
  readonly note: string | null;
  readonly outcome: 'works' | 'failed' | 'unsupported' | 'skipped';
}

/** ModelFailureDto of docs/openapi.json. */
export interface ModelFailureDto {
  readonly address: string | null;
  /** The last time that it occurred. */
  readonly at: string;
  /** The likely cause, and the setting to look at. */
  readonly cause: string | null;
  readonly code: string;
  readonly count: number;
  /** What clients were told. */
  readonly message: string;
  readonly model: string;
  /** What the server said, without anything of a conversation. */
  readonly says: string | null;
  readonly status: number | null;
}

/** ModelRepairDto of docs/openapi.json. */
export interface ModelRepairDto {
  readonly kind: string;
  readonly says: string;
  /** What the server said, without anything of a conversation. */
  readonly sentence: string;
}

/** ModelReportDto of docs/openapi.json. */
export interface ModelReportDto {
  readonly checks: readonly ModelCheckDto[];
  /** Tokens of the questions, as far as the server tells them. */
  readonly inputTokens: number;
  /** Tokens of the answers, as far as the server tells them. */
  readonly outputTokens: number;
  /** Requests that were made, at most eight. */
  readonly requests: number;
}

/** ModelServerDto of docs/openapi.json. */
export interface ModelServerDto {
  readonly address: string | null;
  /** Globs of the agent types that may use it; null: all. */
  readonly agents: readonly string[] | null;
  /** The last failures since the process started, the newest first. */
  readonly failures: readonly ModelFailureDto[];
  /** Whether it answers agents and requests that name none. */
  readonly isDefault: boolean;
  /** How it is called. */
  readonly kind: string;
  /** The model that its server is asked for. */
  readonly model: string;
  /** Its name in `LLM_MODELS` or in code, by which agents and requests choose it; `model` if it has none. */
  readonly name: string;
  /** Null for models without a profile. */
  readonly profile: ModelWritingDto | null;
  /** What the model was chosen by. */
  readonly reason: string;
}

/** ModelWritingDto of docs/openapi.json. */
export interface ModelWritingDto {
  readonly name: string;
  /** The value of LLM_COMPAT that makes the repairs unnecessary; empty without any. */
  readonly overrides: Readonly<Record<string, unknown>>;
  /** What the profile was chosen by. */
  readonly reason: string;
  /** Repairs in force since the process started. */
  readonly repairs: readonly ModelRepairDto[];
}

/** PartialRetentionDto of docs/openapi.json. */
export interface PartialRetentionDto {
  /** Lines of the audit trail. */
  readonly audit?: string;
  /** Conversations, after their last activity; `off` for ever. */
  readonly conversations?: string;
  /** The events of finished runs. */
  readonly events?: string;
  /** Uploads to which no message refers. */
  readonly uploads?: string;
  /** Entries of single model calls. */
  readonly usage?: string;
}

/** PolicyAnswerDto of docs/openapi.json. */
export interface PolicyAnswerDto {
  /** Of `ask`: who may decide; absent: whoever may decide approvals. */
  readonly approvers?: Readonly<Record<string, unknown>>;
  /** The arguments as the tool would get them. */
  readonly arguments: Readonly<Record<string, unknown>> | null;
  /** `invalid`: the arguments do not match the schema, so the policy is not asked. */
  readonly decision: 'allow' | 'ask' | 'deny' | 'invalid';
  /** Of `ask`: milliseconds until the approval expires. */
  readonly expiresInMs?: number;
  /** Of `ask`: whether the person may change the arguments. */
  readonly mayEdit?: boolean;
  /** The reason of the rule, or what is wrong with the arguments. */
  readonly reason: string | null;
  /** The position, from 0, of the rule that decides; null if none does. */
  readonly rule: number | null;
}

/** PriceDto of docs/openapi.json. */
export interface PriceDto {
  readonly cachedInput: number;
  /** Of one token, in billionths of the unit. */
  readonly input: number;
  /** Whether it is of the tenant. Others are of the installation. */
  readonly isOwn: boolean;
  /** The most tokens of an answer. */
  readonly maxOutput: number | null;
  readonly model: string;
  readonly output: number;
  readonly perCall: number;
  /** Null: of any provider. */
  readonly provider: string | null;
  readonly reasoning: number;
  /** Null: from the beginning. */
  readonly validFrom: string | null;
  readonly version: number;
}

/** RemoteAgentDto of docs/openapi.json. */
export interface RemoteAgentDto {
  /** Without secrets. */
  readonly address: string;
  /** Exchanges in progress. */
  readonly inFlight: number;
  /** The protocol. */
  readonly kind: string;
  readonly lastError: RemoteFailureDto | null;
  /** What becomes of an exchange whose connection or process is lost; `resend`: it begins again. */
  readonly onLoss: 'continue' | 'fail' | 'resend';
  /** Connections that were lost and made again. */
  readonly reattachments: number;
  /** Whether the server is not ready while it does not answer. */
  readonly required: boolean;
  /** `idle`: not asked yet. */
  readonly state: 'idle' | 'up' | 'down';
}

/** RemoteFailureDto of docs/openapi.json. */
export interface RemoteFailureDto {
  readonly at: string;
  readonly code: string;
  readonly message: string;
}

/** RetentionDto of docs/openapi.json. */
export interface RetentionDto {
  /** Lines of the audit trail. */
  readonly audit: string;
  /** Conversations, after their last activity; `off` for ever. */
  readonly conversations: string;
  /** The events of finished runs. */
  readonly events: string;
  /** Uploads to which no message refers. */
  readonly uploads: string;
  /** Entries of single model calls. */
  readonly usage: string;
}

/** RunDetailDto of docs/openapi.json. */
export interface RunDetailDto {
  readonly agent: string;
  /** The model that made the newest answer, as its server names it; null before the run has ended, and if none did. */
  readonly answeredBy: string | null;
  /** How often it was started; more than 1 after a recovery. */
  readonly attempt: number;
  /** Who started it and what it may do; null without authentication. Only the kind of the actor unless the caller is that actor or has `data:tenant`. */
  readonly authority: Readonly<Record<string, unknown>> | null;
  /** When its cancellation was requested first. */
  readonly cancelRequestedAt: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly error: RunErrorDto | null;
  /** How many events are committed. */
  readonly eventCount: number;
  /** When its events were removed; null while it has them. */
  readonly eventsRemovedAt: string | null;
  readonly id: string;
  /** The first 200 characters of the newest text of the user in the request. */
  readonly input: string | null;
  /** What an interrupted run has asked. */
  readonly interrupts: readonly RunInterruptDto[];
  /** Whether a run that was interrupted is continued by the next one of its session. */
  readonly isContinued: boolean;
  /** The model that the request names; null if it names none. */
  readonly model: string | null;
  /** Its number in its session. */
  readonly ordinal: number;
  /** The client’s id of the run before. */
  readonly parentRunId: string | null;
  /** 1 for the next run of its session; null unless the run is queued. */
  readonly queuePosition: number | null;
  /** Why the caller may not cancel it, whether or not it has ended; null if it may. */
  readonly refusal: string | null;
  /** The client’s id of the run, unique in its session. */
  readonly runKey: string | null;
  readonly sessionId: string;
  readonly startedAt: string | null;
  readonly status: 'queued' | 'running' | 'completed' | 'incomplete' | 'failed' | 'canceled' | 'interrupted';
  /** Where the run was recovered, oldest first. */
  readonly takeovers: readonly TakeoverDto[];
  /** True for a run that failed because it took too long. */
  readonly timedOut: boolean;
  /** The run that this one continues with an answer; null for the first run of a turn. */
  readonly turn: RunTurnDto | null;
  readonly usage: TokenUsageDto | null;
  /** The user it belongs to. */
  readonly userId: string;
  /** What an interrupted run waits for: a decision, a value, or results of tools of the client. null once its turn went on, or cannot any more. */
  readonly waitsFor: 'approval' | 'input' | 'client' | null;
  /** The wire that has accepted it. */
  readonly wire: string;
  /** The process that executes it; null while none does. */
  readonly worker: string | null;
}

/** RunErrorDto of docs/openapi.json. */
export interface RunErrorDto {
  readonly code: string;
  readonly message: string;
}

/** RunInterruptDto of docs/openapi.json. */
export interface RunInterruptDto {
  /** As `GET /interrupts/{id}`. */
  readonly id: string;
  /** Whether a person has approved it with other arguments than those of the model. */
  readonly isEdited: boolean;
  readonly kind: 'approval' | 'input';
  /** The run that continues with the answer. */
  readonly resumedByRunId: string | null;
  readonly status: string;
  readonly toolName: string | null;
}

/** RunRequestDto of docs/openapi.json. */
export interface RunRequestDto {
  readonly agent: string;
  /** The messages that the session did not have yet. */
  readonly input: readonly Readonly<Record<string, unknown>>[];
  /** Tools and restrictions, model options, client time, forwarded properties, state. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly wire: string;
  /** What the wire stores with the run. */
  readonly wireData: Readonly<Record<string, unknown>>;
}

/** RunSummaryDto of docs/openapi.json. */
export interface RunSummaryDto {
  readonly agent: string;
  /** The model that made the newest answer, as its server names it; null before the run has ended, and if none did. */
  readonly answeredBy: string | null;
  /** How often it was started; more than 1 after a recovery. */
  readonly attempt: number;
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly error: RunErrorDto | null;
  readonly id: string;
  /** The first 200 characters of the newest text of the user in the request. */
  readonly input: string | null;
  /** What an interrupted run has asked. */
  readonly interrupts: readonly RunInterruptDto[];
  /** Whether a run that was interrupted is continued by the next one of its session. */
  readonly isContinued: boolean;
  /** The model that the request names; null if it names none. */
  readonly model: string | null;
  /** 1 for the next run of its session; null unless the run is queued. */
  readonly queuePosition: number | null;
  readonly sessionId: string;
  readonly startedAt: string | null;
  readonly status: 'queued' | 'running' | 'completed' | 'incomplete' | 'failed' | 'canceled' | 'interrupted';
  /** The run that this one continues with an answer; null for the first run of a turn. */
  readonly turn: RunTurnDto | null;
  readonly usage: TokenUsageDto | null;
  /** The user it belongs to. */
  readonly userId: string;
  /** What an interrupted run waits for: a decision, a value, or results of tools of the client. null once its turn went on, or cannot any more. */
  readonly waitsFor: 'approval' | 'input' | 'client' | null;
  /** The wire that has accepted it. */
  readonly wire: string;
}

/** RunTurnDto of docs/openapi.json. */
export interface RunTurnDto {
  readonly id: string;
  /** Its `input`. */
  readonly input: string | null;
}

/** ScheduleDto of docs/openapi.json. */
export interface ScheduleDto {
  readonly agent: string;
  readonly at: string | null;
  readonly catchUp: 'none' | 'last' | 'all';
  readonly createdAt: string;
  readonly cron: string | null;
  readonly enabled: boolean;
  readonly every: string | null;
  readonly expiresAt: string | null;
  readonly id: string;
  readonly input: string | readonly Readonly<Record<string, unknown>>[];
  readonly jitterSeconds: number;
  /** The planned time of that run. */
  readonly lastAt: string | null;
  /** The id of the run of the last planned time. */
  readonly lastRunId: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly modelOptions: Readonly<Record<string, unknown>> | null;
  readonly name: string;
  /** The next planned time; null if there is none. */
  readonly nextAt: string | null;
  /** `code`: an agent declares it; it is changed there. */
  readonly origin: 'api' | 'code';
  readonly overlap: 'skip' | 'queue' | 'cancel';
  readonly session: string;
  /** Why the server has disabled it; null if it has not. */
  readonly suspendedReason: string | null;
  readonly timezone: string;
  /** The user that its runs belong to. */
  readonly user: string;
}

/** ServerToolDto of docs/openapi.json. */
export interface ServerToolDto {
  /** The hints of its provider, as MCP defines them. */
  readonly annotations: Readonly<Record<string, unknown>> | null;
  readonly description: string;
  /** What a repeated call would do; `unsafe` calls are never repeated. */
  readonly effects: 'none' | 'idempotent' | 'unsafe';
  /** Whether calls can need an approval, depending on their arguments. */
  readonly mayAsk: boolean;
  readonly name: string;
  /** The JSON Schema of its arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The label of its MCP server; `local` for a tool of this server. */
  readonly server: string;
  /** Milliseconds after which a call is aborted. */
  readonly timeoutMs: number;
}

/** SessionDetailDto of docs/openapi.json. */
export interface SessionDetailDto {
  readonly createdAt: string;
  readonly id: string;
  readonly lastRun: LastRunDto | null;
  /** How many messages were added to it, including removed ones. */
  readonly messageCount: number;
  /** What its owner stores with it. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Why a request of the caller may not go on with it; null if it may. */
  readonly refusal: string | null;
  /** The first 200 characters of the first text of the user; null if its runs have none. */
  readonly title: string | null;
  readonly updatedAt: string;
  readonly userId: string;
}

/** SessionMessageDto of docs/openapi.json. */
export interface SessionMessageDto {
  readonly createdAt: string;
  /** As the Agent API shows it. */
  readonly message: Readonly<Record<string, unknown>>;
  /** null: it was added outside of a run. */
  readonly runId: string | null;
  /** Grows with every message of the session; may have gaps. */
  readonly seq: number;
}

/** SessionStateDto of docs/openapi.json. */
export interface SessionStateDto {
  /** Newest first, as far as the events were not removed. */
  readonly data: readonly StateChangeDto[];
  /** The `cursor` of the next page of changes; null on the last page. A page looks at 50 runs at most, so it may have fewer than `limit` changes, or none, although more follow. */
  readonly nextCursor: string | null;
  /** The state now. */
  readonly state: Readonly<Record<string, unknown>>;
  readonly updatedAt: string;
}

/** SessionSummaryDto of docs/openapi.json. */
export interface SessionSummaryDto {
  readonly createdAt: string;
  readonly id: string;
  readonly lastRun: LastRunDto | null;
  /** How many messages were added to it, including removed ones. */
  readonly messageCount: number;
  /** The first 200 characters of the first text of the user; null if its runs have none. */
  readonly title: string | null;
  readonly updatedAt: string;
  readonly userId: string;
}

/** SignInDto of docs/openapi.json. */
export interface SignInDto {
  readonly alias: string;
  /** The client id of a public client (with PKCE). */
  readonly clientId: string;
  readonly issuer: string;
  /** The `prompt` of the authorization request. */
  readonly prompt?: string;
  readonly scopes: readonly string[];
}

/** SpanDto of docs/openapi.json. */
export interface SpanDto {
  /** Of a tool call, or of the approval of one. */
  readonly callId?: string;
  /** More of it: the `model` that answered, `error` and `retries` of a model call, `failure` of a tool call, the status of an interrupt, the discarded messages. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** null while it lasts. Equal to `startedAt` for a moment, such as a recovery. */
  readonly endedAt: string | null;
  /** Unique in the run. */
  readonly id: string;
  /** Of an approval or an input. */
  readonly interruptId?: string;
  /** queue: waits to be started; step: a step of the agent’s own; phase: announced by the agent; approval, input: waits for a person; recovery: another worker continues, of this server or of a remote agent; agent: what is being executed is not known yet. */
  readonly kind:
    'queue' | 'model' | 'tool' | 'step' | 'phase' | 'subagent' | 'approval' | 'input' | 'recovery' | 'agent';
  readonly name: string;
  /** The span that contains it: that of a subagent. */
  readonly parentId: string | null;
  /** The event that records it, where there is one. */
  readonly seq?: number;
  readonly startedAt: string;
  /** Of what a person was asked: approved, edited (approved with other arguments), answered, denied, expired (nobody answered in time), unanswered (the user went on with something else). Of a tool call also: denied: a person said no; unanswered and expired: nobody has; refused: the policy did; invalid: the arguments do not match, or there is no such tool; in_doubt: it may have taken effect, and is not repeated. canceled: the run was stopped. */
  readonly status:
    | 'running'
    | 'completed'
    | 'failed'
    | 'canceled'
    | 'approved'
    | 'edited'
    | 'answered'
    | 'unanswered'
    | 'denied'
    | 'refused'
    | 'invalid'
    | 'expired'
    | 'in_doubt';
  /** Of a model call whose provider reports it. */
  readonly usage?: TokenUsageDto;
}

/** StartedScheduleDto of docs/openapi.json. */
export interface StartedScheduleDto {
  readonly runId: string;
  readonly sessionId: string;
}

/** StateChangeDto of docs/openapi.json. */
export interface StateChangeDto {
  readonly at: string;
  /** True for the state that the run began with. */
  readonly initial?: boolean;
  readonly kind: 'snapshot' | 'delta';
  /** Of a delta: an RFC 6902 patch. */
  readonly patch?: readonly Readonly<Record<string, unknown>>[];
  readonly runId: string;
  /** The number of the event in the log of that run. */
  readonly seq: number;
  /** Of a snapshot: the whole state. */
  readonly snapshot?: Readonly<Record<string, unknown>>;
}

/** TakeoverDto of docs/openapi.json. */
export interface TakeoverDto {
  readonly at: string;
  /** The attempt that began. */
  readonly attempt: number;
  /** Messages that were discarded and written again. */
  readonly discardedMessageIds: readonly string[];
  /** How many finished steps were not repeated. */
  readonly resumedFromStep: number;
  /** The number of the event that records it. */
  readonly seq: number;
}

/** TenantDto of docs/openapi.json. */
export interface TenantDto {
  readonly createdAt: string;
  readonly id: string;
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Credentials of a suspended tenant are refused. */
  readonly status: 'active' | 'suspended';
  readonly updatedAt: string;
}

/** TenantRetentionDto of docs/openapi.json. */
export interface TenantRetentionDto {
  /** What differs from the settings of the server. */
  readonly overrides: PartialRetentionDto;
  /** What holds. */
  readonly retention: RetentionDto;
}

/** TimelineDto of docs/openapi.json. */
export interface TimelineDto {
  /** null while the run has not ended. */
  readonly endedAt: string | null;
  readonly runId: string;
  /** By their beginning. Those of the journal are lost with the events. */
  readonly spans: readonly SpanDto[];
  readonly startedAt: string;
  readonly status: string;
}

/** TokenUsageDto of docs/openapi.json. */
export interface TokenUsageDto {
  /** Part of `inputTokens`. */
  readonly cachedTokens?: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Part of `outputTokens`. */
  readonly reasoningTokens?: number;
  readonly totalTokens: number;
}

/** UsageSumsDto of docs/openapi.json. */
export interface UsageSumsDto {
  /** Of the API key that started the runs; empty without one. */
  readonly account?: string;
  readonly agent?: string;
  /** Part of `inputTokens`. */
  readonly cachedInputTokens: number;
  /** Model calls. */
  readonly calls: number;
  /** In billionths of the unit of the currency. */
  readonly cost: number;
  readonly currency: string;
  readonly day?: string;
  /** The part of the tokens that was estimated, from 0 to 1. */
  readonly estimatedShare: number;
  readonly inputTokens: number;
  readonly model?: string;
  readonly outputTokens: number;
  /** Part of `outputTokens`. */
  readonly reasoningTokens: number;
  readonly runs: number;
  readonly user?: string;
}

/** WebhookDeliveryDto of docs/openapi.json. */
export interface WebhookDeliveryDto {
  /** The newest 20, oldest first. */
  readonly attempts: readonly DeliveryAttemptDto[];
  /** The body, as it is sent on every attempt. */
  readonly body: string;
  readonly createdAt: string;
  readonly endedAt: string | null;
  /** The header `webhook-id`. */
  readonly id: string;
  /** When it is tried next; null once it is over. */
  readonly nextAttemptAt: string | null;
  /** The run that it tells about. */
  readonly runId: string | null;
  readonly status: 'waiting' | 'sent' | 'failed';
  /** The name of the event. */
  readonly type: string;
}

/** WebhookDto of docs/openapi.json. */
export interface WebhookDto {
  /** Globs; null: all agents. */
  readonly agents: readonly string[] | null;
  readonly createdAt: string;
  readonly description: string | null;
  /** Why the server has disabled it; null if it has not. */
  readonly disabledReason: string | null;
  readonly enabled: boolean;
  /** Names and globs of events: `run.started`, `run.completed`, `run.incomplete`, `run.failed`, `run.canceled`, `run.interrupted`, `interrupt.requested`, `interrupt.answered`, `interrupt.expired`, `budget.threshold`, `budget.exceeded`, `schedule.missed`, `schedule.suspended`, `endpoint.test`. `run.started` has to be named literally. Empty: only runs that name the endpoint. */
  readonly events: readonly string[];
  /** `openai`: the events of the webhooks of OpenAI, of runs alone. */
  readonly format: 'parley' | 'openai';
  readonly id: string;
  /** Content that events have besides ids and states. */
  readonly include: readonly ('output' | 'error' | 'arguments')[];
  /** When the receiver last took an event, accurate to a minute. */
  readonly lastSuccessAt: string | null;
  readonly url: string;
}

/** WhoamiDto of docs/openapi.json. */
export interface WhoamiDto {
  readonly actor: ActorDto;
  /** When the credential ends. */
  readonly expiresAt: string | null;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly tenantId: string;
  /** The user that the request acts for. */
  readonly userId: string;
}

/** WireDto of docs/openapi.json. */
export interface WireDto {
  /** For `?wire=` and `?protocol=`. */
  readonly name: string;
}
