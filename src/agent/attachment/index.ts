export * from './attachment-binder.js';
export * from './ports/attachment-reader.js';
export * from './ports/attachment-search.js';
export * from './ports/attachment-source.js';
export {
  addressKey,
  isAttachmentReference,
  isOwnPath,
  isTenantPath,
  parseReference,
  referenceOf,
} from './attachment-reference.js';
export { openObjects, sealObjects } from './object-reencryption.js';
export * from './attachment-expiry.js';
export { signatureOf } from './signed-urls.js';
export * from './attachment.module.js';
export { ATTACHMENT_PATHS } from './attachment-exporter.js';
export { AttachmentExportModule } from './attachment-export.module.js';
export * from './attachment.service.js';
export * from './attachment.types.js';
export * from './image-address-check.js';
export * from './message-attachments.js';
export { imageInfo } from './image-info.js';
export { tooLarge } from './checked-image.js';
export { PublicAddress } from './public-address.js';
export type { Signature } from './url-signer.js';
export * from './attachment.settings.js';
