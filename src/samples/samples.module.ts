import { Module } from '@nestjs/common';
import { CalendarModule } from './calendar/index.js';
import { WeatherTool } from './weather/weather.tool.js';

/** The tools of the samples. */
@Module({ imports: [CalendarModule], providers: [WeatherTool] })
export class SamplesModule {}
