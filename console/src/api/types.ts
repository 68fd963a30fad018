/**
 * What the server answers, as docs/openapi.json describes it; `npm run console:types` writes the types.
 */
import type { InterruptAnswerDto, InterruptDto } from './schema.js';

export type {
  AgentDto as Agent,
  AuditItemDto as AuditItem,
  AuditVerificationDto as AuditVerification,
  BudgetDto as Budget,
  BudgetStateDto as BudgetState,
  ConsoleInfoDto as Info,
  ErasureDto as ErasureReceipt,
  ApiKeyDto as ApiKey,
  EventPageDto as EventPage,
  InterruptDto as Interrupt,
  ListedAttachmentDto as Attachment,
  ListedRemoteAgentDto as RemoteAgent,
  LoggedEventDto as LoggedEvent,
  McpServerDto as McpServer,
  ModelFailureDto as ModelFailure,
  ModelReportDto as ModelReport,
  ModelServerDto as ModelServer,
  PolicyAnswerDto as PolicyAnswer,
  PriceDto as Price,
  RunDetailDto as RunDetail,
  JournalStepDto as Step,
  RunInterruptDto as RunInterrupt,
  RunRequestDto as RunRequest,
  RunSummaryDto as Run,
  ScheduleDto as Schedule,
  StartedScheduleDto as StartedSchedule,
  RetentionDto as Retention,
  ServerToolDto as Tool,
  SessionDetailDto as SessionDetail,
  SessionMessageDto as SessionMessage,
  SessionStateDto as SessionState,
  SessionSummaryDto as Session,
  SignInDto as Provider,
  SpanDto as Span,
  StateChangeDto as StateChange,
  TenantDto as Tenant,
  TenantRetentionDto as RetentionOfTenant,
  TimelineDto as Timeline,
  TokenUsageDto as Usage,
  UsageSumsDto as UsageSums,
  WebhookDeliveryDto as Delivery,
  WebhookDto as Webhook,
  WhoamiDto as Whoami,
} from './schema.js';

/** A JSON Schema, as far as forms are made from it. */
export type Schema = Readonly<Record<string, unknown>>;

/** The state of an interrupt. */
export type InterruptStatus = InterruptDto['status'];

/** The answer to an interrupt. */
export type InterruptAnswer = Omit<InterruptAnswerDto, 'payload'> & { readonly payload?: unknown };

/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}
