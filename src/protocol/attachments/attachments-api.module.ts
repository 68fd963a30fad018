import { Module } from '@nestjs/common';
import { HttpModule } from '../http/index.js';
import { AttachmentsController } from './attachments.controller.js';

/** Attachments over HTTP. Needs `AttachmentService`, `AttachmentSettings` and `Clock` from global modules. */
@Module({ imports: [HttpModule], controllers: [AttachmentsController] })
export class AttachmentsApiModule {}
