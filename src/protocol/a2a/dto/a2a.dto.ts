import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { STATE_NAMES } from '../v1/v1.encoder.js';

const OBJECT = { type: 'object', additionalProperties: true } as const;
const OBJECTS = { type: 'array', items: OBJECT } as const;
const TEXTS = { type: 'array', items: { type: 'string' } } as const;

/** A part: exactly one of `text`, `raw`, `url` and `data`. */
export class A2aPartDto {
  @ApiPropertyOptional()
  text?: string;

  @ApiPropertyOptional({ description: 'The bytes of a file, in base64.' })
  raw?: string;

  @ApiPropertyOptional({ description: 'The address of a file. The server never fetches it.' })
  url?: string;

  @ApiPropertyOptional({ description: 'Any JSON. With a `type` such as `approval` it answers a question.' })
  data?: unknown;

  @ApiPropertyOptional({ example: 'image/png' })
  mediaType?: string;

  @ApiPropertyOptional()
  filename?: string;

  @ApiPropertyOptional(OBJECT)
  metadata?: object;
}

/** A message. */
export class A2aMessageDto {
  @ApiProperty({ minLength: 1, maxLength: 256 })
  messageId!: string;

  @ApiProperty({ enum: ['ROLE_USER', 'ROLE_AGENT'] })
  role!: string;

  @ApiProperty({ type: [A2aPartDto] })
  parts!: A2aPartDto[];

  @ApiPropertyOptional({ description: 'The context: the id of its session. Absent: a new one.' })
  contextId?: string;

  @ApiPropertyOptional({ description: 'The task that the message is for.' })
  taskId?: string;

  @ApiPropertyOptional({ ...OBJECT, description: '`client_time` is the clock of the device.' })
  metadata?: object;

  @ApiPropertyOptional(TEXTS)
  extensions?: string[];

  @ApiPropertyOptional(TEXTS)
  referenceTaskIds?: string[];
}

/** Credentials for a callback. */
export class A2aPushAuthenticationDto {
  @ApiProperty({ example: 'Bearer' })
  scheme!: string;

  @ApiPropertyOptional()
  credentials?: string;
}

/** Where a client is called back. */
export class A2aPushConfigDto {
  @ApiPropertyOptional()
  taskId?: string;

  @ApiPropertyOptional({ description: 'Absent: the server chooses.' })
  id?: string;

  @ApiProperty({ example: 'https://client.example.org/a2a' })
  url!: string;

  @ApiPropertyOptional({ description: 'Sent as `X-A2A-Notification-Token`. One that begins with `whsec_` signs.' })
  token?: string;

  @ApiPropertyOptional({ type: A2aPushAuthenticationDto })
  authentication?: A2aPushAuthenticationDto;
}

/** How a message is sent. */
export class A2aSendConfigurationDto {
  @ApiPropertyOptional({ ...TEXTS, description: 'A hint for the agent.' })
  acceptedOutputModes?: string[];

  @ApiPropertyOptional({ minimum: 0, description: 'Messages of the history in the answer. Absent: all.' })
  historyLength?: number;

  @ApiPropertyOptional({ default: false })
  returnImmediately?: boolean;

  @ApiPropertyOptional({ type: A2aPushConfigDto })
  taskPushNotificationConfig?: A2aPushConfigDto;
}

/** The body of `message:send` and `message:stream`. */
export class A2aSendRequestDto {
  @ApiProperty({ type: A2aMessageDto })
  message!: A2aMessageDto;

  @ApiPropertyOptional({ type: A2aSendConfigurationDto })
  configuration?: A2aSendConfigurationDto;

  @ApiPropertyOptional(OBJECT)
  metadata?: object;
}

/** The status of a task. */
export class A2aTaskStatusDto {
  @ApiProperty({ enum: Object.values(STATE_NAMES) })
  state!: string;

  @ApiPropertyOptional({ type: A2aMessageDto, description: 'A question, or why it has failed. Never the answer.' })
  message?: A2aMessageDto;

  @ApiProperty({ format: 'date-time' })
  timestamp!: string;
}

/** Something that a task has made: its answer. */
export class A2aArtifactDto {
  @ApiProperty()
  artifactId!: string;

  @ApiPropertyOptional({ example: 'answer' })
  name?: string;

  @ApiProperty({ type: [A2aPartDto] })
  parts!: A2aPartDto[];

  @ApiPropertyOptional(OBJECT)
  metadata?: object;
}

/** A task: a run, and the runs that go on from it. */
export class A2aTaskDto {
  @ApiProperty()
  id!: string;

  @ApiProperty()
  contextId!: string;

  @ApiProperty({ type: A2aTaskStatusDto })
  status!: A2aTaskStatusDto;

  @ApiPropertyOptional({ type: [A2aArtifactDto] })
  artifacts?: A2aArtifactDto[];

  @ApiPropertyOptional({ type: [A2aMessageDto] })
  history?: A2aMessageDto[];

  @ApiProperty({ ...OBJECT, description: '`agent`, and the `usage` of a completed one.' })
  metadata!: object;
}

/** The answer of `message:send`. */
export class A2aSendResponseDto {
  @ApiPropertyOptional({ type: A2aTaskDto })
  task?: A2aTaskDto;

  @ApiPropertyOptional({ type: A2aMessageDto })
  message?: A2aMessageDto;
}

/** A page of tasks. */
export class A2aTaskListDto {
  @ApiProperty({ type: [A2aTaskDto] })
  tasks!: A2aTaskDto[];

  @ApiProperty({ description: 'Empty on the last page.' })
  nextPageToken!: string;

  @ApiProperty()
  pageSize!: number;

  @ApiProperty()
  totalSize!: number;
}

/** A change of a status. */
export class A2aStatusUpdateDto {
  @ApiProperty()
  taskId!: string;

  @ApiProperty()
  contextId!: string;

  @ApiProperty({ type: A2aTaskStatusDto })
  status!: A2aTaskStatusDto;

  @ApiPropertyOptional(OBJECT)
  metadata?: object;
}

/** A piece of an artifact. */
export class A2aArtifactUpdateDto {
  @ApiProperty()
  taskId!: string;

  @ApiProperty()
  contextId!: string;

  @ApiProperty({ type: A2aArtifactDto })
  artifact!: A2aArtifactDto;

  @ApiPropertyOptional({ description: 'True: the parts are added to those before. Absent: the artifact begins.' })
  append?: boolean;

  @ApiPropertyOptional()
  lastChunk?: boolean;

  @ApiPropertyOptional(OBJECT)
  metadata?: object;
}

/** A frame of a stream: exactly one member. */
export class A2aStreamResponseDto {
  @ApiPropertyOptional({ type: A2aTaskDto })
  task?: A2aTaskDto;

  @ApiPropertyOptional({ type: A2aMessageDto })
  message?: A2aMessageDto;

  @ApiPropertyOptional({ type: A2aStatusUpdateDto })
  statusUpdate?: A2aStatusUpdateDto;

  @ApiPropertyOptional({ type: A2aArtifactUpdateDto })
  artifactUpdate?: A2aArtifactUpdateDto;
}

/** A call of a method. */
export class A2aRpcRequestDto {
  @ApiProperty({ enum: ['2.0'] })
  jsonrpc!: string;

  @ApiPropertyOptional({ oneOf: [{ type: 'string', nullable: true }, { type: 'number' }] })
  id?: string | number | null;

  @ApiProperty({ example: 'SendMessage' })
  method!: string;

  @ApiPropertyOptional(OBJECT)
  params?: object;
}

/** The error of a call. */
export class A2aRpcErrorDto {
  @ApiProperty({ example: -32001 })
  code!: number;

  @ApiProperty()
  message!: string;

  @ApiPropertyOptional({ description: 'In 1.0 a list of details, in 0.3 an object with the `reason`.' })
  data?: unknown;
}

/** The answer to a call: a result, or an error. */
export class A2aRpcResponseDto {
  @ApiProperty({ enum: ['2.0'] })
  jsonrpc!: string;

  @ApiProperty({ oneOf: [{ type: 'string', nullable: true }, { type: 'number' }] })
  id!: string | number | null;

  @ApiPropertyOptional({ description: 'The result of the method; in a stream one frame.' })
  result?: unknown;

  @ApiPropertyOptional({ type: A2aRpcErrorDto })
  error?: A2aRpcErrorDto;
}

/** What an error of the REST binding says. */
export class A2aErrorBodyDto {
  @ApiProperty({ example: 404 })
  code!: number;

  @ApiProperty({ example: 'NOT_FOUND' })
  status!: string;

  @ApiProperty()
  message!: string;

  @ApiProperty({ ...OBJECTS, description: 'An `ErrorInfo` with the `reason`; of bad parameters the fields, too.' })
  details!: object[];
}

/** The error of the REST binding. */
export class A2aErrorDto {
  @ApiProperty({ type: A2aErrorBodyDto })
  error!: A2aErrorBodyDto;
}

/** The callbacks of a task. */
export class A2aPushConfigListDto {
  @ApiProperty({ type: [A2aPushConfigDto] })
  configs!: A2aPushConfigDto[];

  @ApiProperty({ description: 'Empty: there is one page.' })
  nextPageToken!: string;
}

/** An agent card. */
export class AgentCardDto {
  @ApiProperty()
  name!: string;

  @ApiProperty()
  description!: string;

  @ApiProperty()
  version!: string;

  @ApiProperty({ ...OBJECTS, description: '`url`, `protocolBinding`, `protocolVersion`.' })
  supportedInterfaces!: object[];

  @ApiProperty(OBJECT)
  capabilities!: object;

  @ApiPropertyOptional(OBJECT)
  securitySchemes?: object;

  @ApiPropertyOptional(OBJECTS)
  securityRequirements?: object[];

  @ApiProperty(TEXTS)
  defaultInputModes!: string[];

  @ApiProperty(TEXTS)
  defaultOutputModes!: string[];

  @ApiProperty(OBJECTS)
  skills!: object[];

  @ApiPropertyOptional({
    ...OBJECTS,
    description: 'With `A2A_CARD_SIGNING_KEY`: detached JWS over the canonical card.',
  })
  signatures?: object[];
}

/** An agent, and where its card is. */
export class A2aListedAgentCardDto {
  @ApiProperty()
  name!: string;

  @ApiProperty()
  description!: string;

  @ApiProperty()
  cardUrl!: string;
}

/** Agents whose cards the caller may see. */
export class A2aAgentListDto {
  @ApiProperty({ type: [A2aListedAgentCardDto] })
  agents!: A2aListedAgentCardDto[];
}

/** A set of public keys (RFC 7517). */
export class JwksDto {
  @ApiProperty(OBJECTS)
  keys!: object[];
}

/** All that the document refers to. */
export const A2A_DTOS = [A2aRpcResponseDto, A2aStreamResponseDto, A2aTaskDto, AgentCardDto];
