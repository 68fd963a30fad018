import type { FastifyRequest } from 'fastify';
import { tooLarge, type UploadedFile } from '../../agent/attachment/index.js';
import { AppError } from '../../common/index.js';

/** What a multipart body brought. */
export interface Upload {
  readonly file: UploadedFile;
  readonly fields: Readonly<Record<string, string>>;
}

const CODE_PREFIX = 'FST_';

/**
 * Reads the one file, named `file`, and the text fields of an upload.
 *
 * @throws AppError UNSUPPORTED_MEDIA_TYPE (no multipart body), ATTACHMENT_TOO_LARGE, ATTACHMENT_INVALID
 */
export async function readUpload(request: FastifyRequest, maxBytes: number): Promise<Upload> {
  if (!request.isMultipart()) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The content type must be multipart/form-data');
  }
  try {
    return await partsOf(request, maxBytes);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('ATTACHMENT_INVALID', sentenceOf(error), { cause: error });
  }
}

async function partsOf(request: FastifyRequest, maxBytes: number): Promise<Upload> {
  const fields: Record<string, string> = {};
  let file: UploadedFile | undefined;
  for await (const part of request.parts()) {
    if (part.type === 'field') {
      if (typeof part.value === 'string') fields[part.fieldname] = part.value;
      continue;
    }
    const bytes = await part.toBuffer();
    if (part.fieldname !== 'file')
      throw new AppError('ATTACHMENT_INVALID', 'The part of the file must be named "file"');
    if (part.file.truncated || bytes.length > maxBytes) throw tooLarge(maxBytes);
    file = { bytes, filename: part.filename, declaredType: part.mimetype };
  }
  if (!file) throw new AppError('ATTACHMENT_INVALID', 'The body has no part "file"');
  return { file, fields };
}

function sentenceOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^FST_(PARTS|FILES|FIELDS)_LIMIT$/.test(code)) return 'The body must have one file and at most four fields';
  return code.startsWith(CODE_PREFIX) ? 'The body is not a valid upload' : 'The body is not valid multipart/form-data';
}
