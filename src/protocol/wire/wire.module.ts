import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HttpModule } from '../http/index.js';
import { DisconnectPolicy } from './disconnect-policy.js';
import { ResumeCache } from './resume-cache.js';
import { RunStreams } from './run-streams.js';
import { Wires } from './wires.js';

/** What wires are made with. Needs `Runs` from a global module. */
@Module({
  imports: [HttpModule, DiscoveryModule],
  providers: [DisconnectPolicy, ResumeCache, RunStreams, Wires],
  exports: [HttpModule, RunStreams, Wires],
})
export class WireModule {}
