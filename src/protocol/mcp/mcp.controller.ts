import { Body, Controller, Delete, Get, HttpCode } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { AccessSettings, Caller, Needs, OidcSettings, Public, RefusesForeignPages } from '../../access/index.js';
import { PublicAddress } from '../../agent/attachment/index.js';
import { AppError } from '../../common/index.js';
import { MIB } from '../../config/index.js';
import { BodyLimit, headerReader, SseGet, SsePost, type StreamClient, StreamFor } from '../http/index.js';
import { WireController } from '../wire/index.js';
import { ApiDeleteSession, ApiMetadata, ApiPost, ApiResume, TAG } from './api-docs.js';
import { LegacySessions } from './legacy-sessions.js';
import { McpService, type PostAnswer } from './mcp.service.js';
import { McpWire } from './mcp.wire.js';
import { resourceMetadata } from './resource-metadata.js';

/** Bytes of a message at most. */
const LONGEST_BODY = 4 * MIB;

/** `/mcp` (contract mcp-server, section 1). */
@ApiTags(TAG)
@RefusesForeignPages()
@WireController(McpWire, 'mcp')
export class McpController {
  constructor(
    private readonly service: McpService,
    private readonly sessions: LegacySessions,
  ) {}

  @SsePost('')
  @Needs('runs:read')
  @BodyLimit(LONGEST_BODY)
  @ApiPost()
  post(@Body() body: unknown, @Caller() caller: Caller, @StreamFor() client: StreamClient): Promise<PostAnswer> {
    return this.service.post(body, caller, client);
  }

  @SseGet('')
  @Needs('runs:read')
  @ApiResume()
  async resume(
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Observable<readonly string[]> | undefined> {
    const header = headerReader(client.request);
    if (header('last-event-id') === undefined) {
      client.reply.header('allow', 'POST, DELETE');
      throw new AppError(
        'METHOD_NOT_ALLOWED',
        'There is no stream beside those of calls: send Last-Event-ID to go on in one',
      );
    }
    const frames = await this.sessions.resume(header, caller, client);
    if (!frames) client.reply.status(204);
    return frames;
  }

  @Delete('')
  @HttpCode(200)
  @Needs('runs:read')
  @ApiDeleteSession()
  async end(@Caller() caller: Caller, @StreamFor() client: StreamClient): Promise<object> {
    await this.sessions.end(headerReader(client.request), caller);
    return {};
  }
}

/** The server as an OAuth resource (RFC 9728; contract mcp-server, section 7.4). */
@ApiTags(TAG)
@Public()
@RefusesForeignPages()
@Controller('.well-known')
export class ResourceMetadataController {
  constructor(
    private readonly access: AccessSettings,
    private readonly oidc: OidcSettings,
    private readonly address: PublicAddress,
  ) {}

  @Get('oauth-protected-resource/mcp')
  @ApiMetadata()
  ofPath(@StreamFor() client: StreamClient): object {
    return this.metadata(client);
  }

  @Get('oauth-protected-resource')
  @ApiMetadata()
  ofServer(@StreamFor() client: StreamClient): object {
    return this.metadata(client);
  }

  private metadata({ request, reply }: StreamClient): object {
    if (!this.access.methods.includes('oidc')) {
      throw new AppError('RESOURCE_NOT_FOUND', 'The server takes no tokens of OAuth providers: send an API key');
    }
    reply.header('cache-control', 'public, max-age=300');
    const issuers = this.oidc.issuers.map(({ issuer }) => issuer);
    return resourceMetadata(this.address.bases, request.headers.host, issuers);
  }
}
