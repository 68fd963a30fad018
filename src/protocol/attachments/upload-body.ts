import multipart from '@fastify/multipart';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AttachmentSettings } from '../../agent/attachment/index.js';
import { AppError } from '../../common/index.js';

/** Where files are uploaded: the one route that takes a body other than JSON. */
export const UPLOAD_PATH = '/api/v1/agent/attachments';

/**
 * Lets `UPLOAD_PATH` read multipart bodies. Every other route refuses them as before. To be called once,
 * before `app.init()`.
 */
export function registerUploads(app: NestFastifyApplication, { maxBytes }: AttachmentSettings): void {
  const fastify = app.getHttpAdapter().getInstance();
  // After the hooks of access, which are there once the plugins before them are loaded.
  fastify.after(() => {
    fastify.addHook('onRequest', (request, _reply, done) => {
      const isMultipart = /^\s*multipart\//i.test(request.headers['content-type'] ?? '');
      const isUpload = request.routeOptions.url === UPLOAD_PATH;
      done(isMultipart && !isUpload && !request.is404 ? new AppError('UNSUPPORTED_MEDIA_TYPE') : undefined);
    });
  });
  // One byte more than the limit distinguishes a file that is too long from one that just fits.
  const limits = {
    fileSize: maxBytes + 1,
    files: 1,
    fields: 4,
    fieldSize: 1024,
    fieldNameSize: 100,
    parts: 5,
  };
  void app.register(multipart, { limits: { ...limits, headerPairs: 20 }, throwFileSizeLimit: false });
}
