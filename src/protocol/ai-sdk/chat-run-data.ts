import { Injectable } from '@nestjs/common';
import type { BusyPolicy } from '../../run/index.js';
import { ToolRegistry } from '../../agent/tools/index.js';
import { type AiSdkData, dataOfSettings, levelOf } from './ai-sdk-data.js';
import { AiSdkSettings } from './ai-sdk.settings.js';
import type { ChatRequest } from './chat-request.decoder.js';

/** What is stored with the runs of requests, so that their frames are the same at all times. */
@Injectable()
export class ChatRunData {
  constructor(
    private readonly settings: AiSdkSettings,
    private readonly tools: ToolRegistry,
  ) {}

  /** What happens to a run in progress when a message comes. */
  get onBusy(): BusyPolicy {
    return this.settings.busyPolicy;
  }

  /** @param sdk the level that the request chooses */
  async of(request: ChatRequest, sdk: '5' | '6' | '7' | undefined): Promise<AiSdkData> {
    const { metadata } = request;
    const titles = { ...request.titles, ...(await this.serverTitles()) };
    return {
      ...dataOfSettings(this.settings, sdk === undefined ? undefined : levelOf(sdk)),
      ...(metadata && { metadata }),
      ...(Object.keys(titles).length > 0 && { titles }),
    };
  }

  /** The titles of tools of MCP servers, by their names. No server is waited for. */
  private async serverTitles(): Promise<Readonly<Record<string, string>>> {
    const servers = this.tools.servers();
    if (servers.length === 0 || servers.some(({ state }) => state !== 'up')) return {};
    const tools = await this.tools.list();
    return Object.fromEntries(
      tools.flatMap(({ name, annotations }) => (annotations?.title ? [[name, annotations.title]] : [])),
    );
  }
}
