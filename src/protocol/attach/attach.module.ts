import { Module } from '@nestjs/common';
import { HttpModule } from '../http/index.js';
import { AttachPlaces } from './attach-places.js';
import { AttachController } from './attach.controller.js';
import { AttachReader } from './attach.reader.js';

/** Any run in any wire's frames. Needs `Runs` from a global module. */
@Module({ imports: [HttpModule], controllers: [AttachController], providers: [AttachReader, AttachPlaces] })
export class AttachModule {}
