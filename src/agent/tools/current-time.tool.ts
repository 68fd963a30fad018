import { Injectable } from '@nestjs/common';
import { Clock, isoTime, isTimeZone, localTime, resolveTimeZone } from '../../common/index.js';
import { AgentTool } from './agent-tool.decorator.js';
import type { ToolContext } from './tool.js';

interface GetCurrentTimeArgs {
  readonly timezone?: string;
}

/**
 * `get_current_time`: the time in the requested zone, otherwise in the user's, otherwise in UTC; never in the
 * server's.
 */
@Injectable()
export class CurrentTimeTool {
  constructor(private readonly clock: Clock) {}

  @AgentTool({
    name: 'get_current_time',
    description: "Get the current date and time. Without a time zone the user's own is taken.",
    effects: 'none',
    parameters: {
      type: 'object',
      properties: {
        timezone: { type: 'string', maxLength: 64, description: 'IANA time zone, for example "Asia/Shanghai"' },
      },
    },
  })
  async getCurrentTime({ timezone }: GetCurrentTimeArgs, context: ToolContext): Promise<unknown> {
    const zone = resolveTimeZone([timezone, context.timeZone]);
    const isKnown: boolean = timezone === undefined || isTimeZone(timezone);
    const now = this.clock.now();
    return {
      timezone: zone,
      ...localTime(now, zone),
      utc: isoTime(now),
      ...(!isKnown && { note: `"${timezone}" is not a known time zone; ${zone} was taken.` }),
    };
  }
}
