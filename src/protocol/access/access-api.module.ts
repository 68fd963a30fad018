import { Module } from '@nestjs/common';
import { WhoamiController } from './whoami.controller.js';

/** What callers may ask about themselves. */
@Module({ controllers: [WhoamiController] })
export class AccessApiModule {}
