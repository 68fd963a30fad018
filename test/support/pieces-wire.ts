import { type DynamicModule, Module } from '@nestjs/common';
import type { LoggedEvent } from '../../src/events/index.js';
import { dataFrame } from '../../src/protocol/http/sse/frames.js';
import { type FrameEncoder, Wire, WireModule, type WireRevisions } from '../../src/protocol/wire/index.js';
import type { RunView } from '../../src/run/index.js';

/** The name of the wire, in `?protocol=`. */
export const PIECES_WIRE = 'pieces';

/** One frame for each event; from revision 2 on another one before the first. */
class PiecesEncoder implements FrameEncoder {
  readonly joinable = true;
  readonly variant = 'pieces';

  constructor(private readonly revision: number) {}

  next({ seq }: LoggedEvent): readonly string[] {
    const greeting = this.revision >= 2 && seq === 0 ? [dataFrame('"begin"')] : [];
    return [...greeting, dataFrame(String(seq))];
  }

  end(): readonly string[] {
    return [];
  }
}

/** A wire whose frames a version of the server has changed. */
class PiecesWire extends Wire {
  readonly name = PIECES_WIRE;

  constructor(override readonly encoderRevisions: WireRevisions) {
    super();
  }

  override encoder(run: RunView): FrameEncoder {
    return new PiecesEncoder(this.revisionOf(run));
  }
}

/** The wire as one version of the server has it. */
@Module({ imports: [WireModule] })
export class PiecesModule {
  static withRevisions(current: number, known: readonly number[]): DynamicModule {
    const wire = new PiecesWire({ current, known });
    return { module: PiecesModule, providers: [{ provide: PiecesWire, useValue: wire }] };
  }
}
