import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import { Fingerprints, keyFingerprints, ownKey, ServerSettings } from '../../config/index.js';
import { Database } from '../../database/index.js';
import { SessionCleaners, SessionModule } from '../session/index.js';
import { LocalObjectStore } from './adapters/local-object-store.js';
import { S3ObjectStore } from './adapters/s3-object-store.js';
import { SealedObjectStore } from './adapters/sealed-object-store.js';
import { TypeOrmAttachmentSearch } from './adapters/typeorm-attachment-search.js';
import { TypeOrmAttachmentStore } from './adapters/typeorm-attachment-store.js';
import { AttachmentBinder } from './attachment-binder.js';
import { AttachmentCleaner } from './attachment-cleaner.js';
import { AttachmentService } from './attachment.service.js';
import { AttachmentExportModule } from './attachment-export.module.js';
import { AttachmentExpiry } from './attachment-expiry.js';
import { AttachmentTimes } from './attachment-times.js';
import { AttachmentSettings } from './attachment.settings.js';
import { ImageAddressCheck } from './image-address-check.js';
import { MessageAttachments } from './message-attachments.js';
import { AttachmentReader } from './ports/attachment-reader.js';
import { AttachmentSearch } from './ports/attachment-search.js';
import { AttachmentSource } from './ports/attachment-source.js';
import { AttachmentStore } from './ports/attachment-store.js';
import { ObjectStore } from './ports/object-store.js';

/** The configured object store, which keeps bytes as it gets them. */
export function openObjectStore({ s3 }: AttachmentSettings, { dataDir }: ServerSettings): ObjectStore {
  return s3 ? new S3ObjectStore(s3) : new LocalObjectStore(join(dataDir, 'attachments'));
}

/** The configured object store, which encrypts if the database does. */
function objectStore(settings: AttachmentSettings, server: ServerSettings, { content }: Database): ObjectStore {
  const objects = openObjectStore(settings, server);
  return content.isOn ? new SealedObjectStore(objects, content) : objects;
}

/** What tells the store from that of another instance: the bucket, or an id that is kept next to the folder. */
function storeFingerprints({ s3 }: AttachmentSettings, { dataDir }: ServerSettings): readonly string[] {
  if (s3) return [`s3:${s3.endpoint ?? 'aws'}/${s3.bucket}`];
  return keyFingerprints('ATTACHMENT_STORE', [ownKey(dataDir, 'attachment-store-id')]);
}

/** Attachments. Needs the global database, configuration and clock. */
@Global()
@Module({
  imports: [SessionModule, AttachmentExportModule],
  providers: [
    { provide: ObjectStore, useFactory: objectStore, inject: [AttachmentSettings, ServerSettings, Database] },
    { provide: AttachmentStore, useClass: TypeOrmAttachmentStore },
    { provide: AttachmentSearch, useClass: TypeOrmAttachmentSearch },
    { provide: AttachmentReader, useExisting: AttachmentService },
    { provide: AttachmentSource, useExisting: AttachmentService },
    AttachmentBinder,
    AttachmentService,
    AttachmentCleaner,
    AttachmentExpiry,
    AttachmentTimes,
    ImageAddressCheck,
    MessageAttachments,
  ],
  exports: [
    AttachmentExportModule,
    AttachmentService,
    AttachmentBinder,
    AttachmentReader,
    AttachmentSource,
    AttachmentSearch,
    AttachmentExpiry,
    ImageAddressCheck,
    MessageAttachments,
  ],
})
export class AttachmentModule {
  constructor(
    cleaners: SessionCleaners,
    binder: AttachmentBinder,
    fingerprints: Fingerprints,
    settings: AttachmentSettings,
    server: ServerSettings,
  ) {
    cleaners.register(binder);
    fingerprints.add('ATTACHMENT_STORE', () => storeFingerprints(settings, server));
  }
}
