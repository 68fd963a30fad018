import { isPlainObject, type Json, type JsonObject } from '../../../common/index.js';
import { type FieldReader, fieldError, fieldReaderAt } from '../../http/bodies/field-reader.js';
import type { A2aMessage, Part, PushConfigInput, SendRequest } from '../a2a.types.js';
import {
  addressField,
  base64Field,
  historyLengthField,
  idField,
  metadataField,
  paramsOf,
  partFields,
  pushFields,
  requiredId,
  secretField,
  textsField,
  userMessage,
} from '../request-fields.js';
import type { PushRequest, TaskRequest } from '../v1/v1.decoder.js';

/** Requests of A2A 0.3 (contract a2a, section 3.2). All throw AppError naming the first invalid field. */
export const DECODE_V03 = {
  send(params: unknown): SendRequest {
    const fields = fieldReaderAt(paramsOf(params), '');
    const message = messageOf(fields);
    const configuration = fields.object('configuration');
    const config = configuration && fieldReaderAt(configuration, 'configuration');
    const historyLength = config && historyLengthField(config);
    const push = config?.object('pushNotificationConfig');
    const metadata = metadataField(fields);
    return {
      message,
      returnsImmediately: config?.boolean('blocking') === false,
      acceptedOutputModes: (config && textsField(config, 'acceptedOutputModes')) ?? [],
      ...(historyLength !== undefined && { historyLength }),
      ...(push && { pushConfig: pushConfigOf(fieldReaderAt(push, 'configuration.pushNotificationConfig')) }),
      ...(metadata && { metadata }),
    };
  },

  task(params: unknown): TaskRequest {
    const fields = fieldReaderAt(paramsOf(params), '');
    const historyLength = historyLengthField(fields);
    metadataField(fields);
    return { taskId: requiredId(fields, 'id'), ...(historyLength !== undefined && { historyLength }) };
  },

  push(params: unknown): PushRequest {
    const fields = fieldReaderAt(paramsOf(params), '');
    const id = idField(fields, 'pushNotificationConfigId');
    return { taskId: requiredId(fields, 'id'), ...(id !== undefined && { id }) };
  },

  createPush(params: unknown): { readonly taskId: string; readonly config: PushConfigInput } {
    const fields = fieldReaderAt(paramsOf(params), '');
    const config = fields.object('pushNotificationConfig');
    if (!config) throw fieldError('pushNotificationConfig', 'is required', 'MISSING_PARAMETER');
    const path = 'pushNotificationConfig';
    return { taskId: requiredId(fields, 'taskId'), config: pushConfigOf(fieldReaderAt(config, path)) };
  },
};

function messageOf(fields: FieldReader): A2aMessage {
  const given = fields.object('message');
  if (!given) throw fieldError('message', 'is required', 'MISSING_PARAMETER');
  const message = fieldReaderAt(given, 'message');
  const kind = message.string('kind') ?? 'message';
  if (kind !== 'message') throw fieldError('message.kind', 'must be message', 'INVALID_PARAMETER');
  const role = message.string('role') ?? 'user';
  if (role !== 'user') throw fieldError('message.role', 'must be user', 'INVALID_PARAMETER');
  const parts = partFields(message).map((part, index) => partOf(fieldReaderAt(part, `message.parts[${index}]`)));
  return userMessage(message, parts);
}

function partOf(fields: FieldReader): Part {
  const kind = fields.string('kind') ?? kindByContent(fields);
  const metadata = fields.object('metadata') as JsonObject | undefined;
  const own = metadata && { metadata };
  if (kind === 'text') {
    const text = fields.required('text');
    return { text, ...own };
  }
  if (kind === 'data') {
    const data = fields.source['data'];
    if (!isPlainObject(data)) throw fieldError(fields.at('data'), 'must be an object', 'INVALID_PARAMETER');
    return { data: data as Json, ...own };
  }
  if (kind === 'file') return { ...filePart(fields), ...own };
  throw fieldError(fields.at('kind'), 'must be text, file or data', 'INVALID_PARAMETER');
}

/** The kind of a part that names none: some clients leave it out. */
function kindByContent({ source }: FieldReader): string | undefined {
  return ['text', 'file', 'data'].find((name) => source[name] !== undefined && source[name] !== null);
}

function filePart(fields: FieldReader): Part {
  const file = fields.requiredFields('file');
  const mediaType = file.string('mimeType');
  const filename = file.string('name', { min: 0, max: 1000 });
  const about = { ...(mediaType && { mediaType: mediaType.toLowerCase() }), ...(filename && { filename }) };
  const [raw, url] = [base64Field(file, 'bytes'), addressField(file, 'uri')];
  if (raw !== undefined && url === undefined) return { raw, ...about };
  if (url !== undefined && raw === undefined) return { url, ...about };
  throw fieldError(file.at('bytes'), 'must be the only one of bytes and uri', 'INVALID_PARAMETER');
}

function pushConfigOf(fields: FieldReader): PushConfigInput {
  const given = fields.object('authentication');
  const auth = given && fieldReaderAt(given, fields.at('authentication'));
  const [scheme] = (auth && textsField(auth, 'schemes')) ?? [];
  const credentials = auth && secretField(auth, 'credentials');
  if (scheme !== undefined && !/^[\x21-\x7e]{1,256}$/.test(scheme)) {
    throw fieldError(fields.at('authentication.schemes'), 'must be names', 'INVALID_PARAMETER');
  }
  return pushFields(
    fields,
    scheme === undefined ? undefined : { scheme, ...(credentials !== undefined && { credentials }) },
  );
}
