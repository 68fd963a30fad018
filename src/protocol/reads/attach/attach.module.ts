import { Module } from '@nestjs/common';
import { WireModule } from '../../wire/index.js';
import { AttachController } from './attach.controller.js';
import { AttachService } from './attach.service.js';

/** Any run in any wire's frames. Needs `Runs` from a global module. */
@Module({ imports: [WireModule], controllers: [AttachController], providers: [AttachService] })
export class AttachModule {}
