import { getSchemaPath } from '@nestjs/swagger';
import {
  AudioContentDto,
  DataContentDto,
  FileContentDto,
  ImageContentDto,
  RefusalContentDto,
  TextContentDto,
  VideoContentDto,
} from './content.dto.js';

/** The class of each content type. */
export const CONTENT_DTOS = {
  text: TextContentDto,
  image: ImageContentDto,
  data: DataContentDto,
  audio: AudioContentDto,
  file: FileContentDto,
  refusal: RefusalContentDto,
  video: VideoContentDto,
} as const;

/** The union of the seven contents, discriminated by `type`. */
export function contentSchema() {
  return {
    oneOf: Object.values(CONTENT_DTOS).map((dto) => ({ $ref: getSchemaPath(dto) })),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(Object.entries(CONTENT_DTOS).map(([type, dto]) => [type, getSchemaPath(dto)])),
    },
  };
}
