import type { Json, JsonObject } from '../../../common/index.js';
import { type FieldReader, fieldError } from '../../http/bodies/field-reader.js';
import type { A2aMessage, ListRequest, Part, PushConfigInput, SendRequest, TaskState } from '../a2a.types.js';
import {
  addressField,
  base64Field,
  historyLengthField,
  idField,
  metadataField,
  partFields,
  paramsOf,
  protoFields,
  pushFields,
  requiredId,
  secretField,
  textsField,
  userMessage,
} from '../request-fields.js';
import { STATE_NAMES } from './v1.encoder.js';

const MEMBERS = ['text', 'raw', 'url', 'data'] as const;
/** The states by their numbers in the proto. */
const NUMBERED: readonly (TaskState | undefined)[] = [
  undefined,
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'input-required',
  'rejected',
  'auth-required',
];
const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** Which task, and what else. */
export interface TaskRequest {
  readonly taskId: string;
  readonly historyLength?: number;
}

/** Which push configuration. */
export interface PushRequest {
  readonly taskId: string;
  /** Absent in 0.3: the first one. */
  readonly id?: string;
}

/**
 * Requests of A2A 1.0 in ProtoJSON (contract a2a, sections 4, 5 and 14).
 *
 * All throw AppError naming the first invalid field.
 */
export const DECODE_V1 = {
  send(params: unknown): SendRequest {
    const fields = ownFields(params);
    const message = messageOf(fields);
    const configuration = fields.object('configuration');
    const config = configuration && protoFields(configuration, 'configuration');
    const historyLength = config && historyLengthField(config);
    const push = config?.object('taskPushNotificationConfig');
    const metadata = metadataField(fields);
    return {
      message,
      returnsImmediately: config?.boolean('returnImmediately') ?? false,
      acceptedOutputModes: (config && textsField(config, 'acceptedOutputModes')) ?? [],
      ...(historyLength !== undefined && { historyLength }),
      ...(push && { pushConfig: pushConfigOf(protoFields(push, 'configuration.taskPushNotificationConfig')) }),
      ...(metadata && { metadata }),
    };
  },

  task(params: unknown): TaskRequest {
    const fields = ownFields(params);
    const historyLength = historyLengthField(fields);
    metadataField(fields);
    return { taskId: requiredId(fields, 'id'), ...(historyLength !== undefined && { historyLength }) };
  },

  list(params: unknown): ListRequest {
    const fields = ownFields(params);
    const contextId = idField(fields, 'contextId');
    const state = stateOf(fields);
    const pageToken = fields.string('pageToken');
    const historyLength = historyLengthField(fields);
    const after = fields.string('statusTimestampAfter');
    const changedAfter = after === undefined || after === '' ? undefined : timeOf(fields, after);
    return {
      pageSize: fields.integer('pageSize', { min: 1, max: 100 }) ?? 50,
      includeArtifacts: fields.boolean('includeArtifacts') ?? false,
      ...(contextId !== undefined && { contextId }),
      ...(state && { state }),
      ...(pageToken !== undefined && pageToken !== '' && { pageToken }),
      ...(historyLength !== undefined && { historyLength }),
      ...(changedAfter !== undefined && { changedAfter }),
    };
  },

  push(params: unknown): PushRequest {
    const fields = ownFields(params);
    return { taskId: requiredId(fields, 'taskId'), id: requiredId(fields, 'id') };
  },

  pushOf(params: unknown): PushRequest {
    return { taskId: requiredId(ownFields(params), 'taskId') };
  },

  createPush(params: unknown): { readonly taskId: string; readonly config: PushConfigInput } {
    const fields = ownFields(params);
    return { taskId: requiredId(fields, 'taskId'), config: pushConfigOf(fields) };
  },
};

/** The fields of a request, which must not name a tenant: there is none in addresses. */
function ownFields(params: unknown): FieldReader {
  const fields = protoFields(paramsOf(params), '');
  if ((fields.string('tenant') ?? '') !== '') throw fieldError('tenant', 'must be empty', 'INVALID_PARAMETER');
  return fields;
}

function messageOf(fields: FieldReader): A2aMessage {
  const given = fields.object('message');
  if (!given) throw fieldError('message', 'is required', 'MISSING_PARAMETER');
  const message = protoFields(given, 'message');
  const role = message.source['role'];
  if (role !== undefined && role !== null && role !== 'ROLE_USER' && role !== 1) {
    throw fieldError('message.role', 'must be ROLE_USER', 'INVALID_PARAMETER');
  }
  const parts = partFields(message).map((part, index) => partOf(protoFields(part, `message.parts[${index}]`)));
  return userMessage(message, parts);
}

function partOf(fields: FieldReader): Part {
  const { source } = fields;
  // Null is a value of `data`, and absent everywhere else.
  const given = MEMBERS.filter((name) =>
    name === 'data' ? Object.hasOwn(source, name) : Object.hasOwn(source, name) && source[name] !== null,
  );
  const [member] = given;
  if (member === undefined || given.length > 1) {
    throw fieldError(fields.at('text'), 'must be the only one of text, raw, url and data', 'INVALID_PARAMETER');
  }
  const mediaType = fields.string('mediaType');
  const filename = fields.string('filename', { min: 0, max: 1000 });
  const metadata = fields.object('metadata') as JsonObject | undefined;
  const about = {
    ...(mediaType && { mediaType: mediaType.toLowerCase() }),
    ...(filename && { filename }),
    ...(metadata && { metadata }),
  };
  if (member === 'data') return { data: source['data'] as Json, ...about };
  if (member === 'raw') return { raw: base64Field(fields, 'raw') ?? '', ...about };
  if (member === 'url') return { url: addressField(fields, 'url') ?? '', ...about };
  return { text: fields.string('text') ?? '', ...about };
}

function pushConfigOf(fields: FieldReader): PushConfigInput {
  const given = fields.object('authentication');
  const auth = given && protoFields(given, fields.at('authentication'));
  const scheme = auth && secretField(auth, 'scheme');
  const credentials = auth && secretField(auth, 'credentials');
  if (auth && scheme === undefined) throw fieldError(auth.at('scheme'), 'is required', 'MISSING_PARAMETER');
  return pushFields(
    fields,
    scheme === undefined ? undefined : { scheme, ...(credentials !== undefined && { credentials }) },
  );
}

function stateOf(fields: FieldReader): TaskState | undefined {
  const value = fields.source['status'];
  if (value === undefined || value === null || value === '' || value === 0 || value === 'TASK_STATE_UNSPECIFIED')
    return undefined;
  const named = Object.entries(STATE_NAMES).find(([, name]) => name === value)?.[0] as TaskState | undefined;
  const state = named ?? (typeof value === 'number' ? NUMBERED[value] : undefined);
  if (state) return state;
  throw fieldError('status', `must be one of ${Object.values(STATE_NAMES).join(', ')}`, 'INVALID_PARAMETER');
}

function timeOf(fields: FieldReader, text: string): number {
  const time = RFC3339.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time))
    throw fieldError(fields.at('statusTimestampAfter'), 'must be a time as in RFC 3339', 'INVALID_PARAMETER');
  return time;
}
