import { Module } from '@nestjs/common';
import { UserExporters } from '../../data-protection/index.js';
import { AttachmentExporter } from './attachment-exporter.js';
import { PublicAddress } from './public-address.js';
import { SignedUrls } from './signed-urls.js';

/**
 * Exports of the attachments of users; works without a server. Needs `AttachmentSettings`, `ServerSettings`, `Fingerprints`,
 * `Clock` and `UserExporters` from global modules.
 */
@Module({ providers: [PublicAddress, SignedUrls, AttachmentExporter], exports: [PublicAddress, SignedUrls] })
export class AttachmentExportModule {
  constructor(exporters: UserExporters, attachments: AttachmentExporter) {
    exporters.register(attachments);
  }
}
