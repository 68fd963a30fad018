import { AppError } from '../../common/index.js';
import type { RunView } from '../../run/index.js';
import type { FrameEncoder } from './encoder.js';

/** Makes a wire's encoder for one run; its first frame is the run's first. */
export type EncoderFactory = (run: RunView) => FrameEncoder;

/** The encoders of all wires by name, so that any run can be read in any wire's frames. */
export class EncoderRegistry {
  private readonly factories = new Map<string, EncoderFactory>();

  /** The names of the registered wires, in the order of registration. */
  get names(): readonly string[] {
    return [...this.factories.keys()];
  }

  /**
   * Registers a wire's encoder; wires do so when their module is made.
   *
   * @throws TypeError when the name is taken
   */
  register(name: string, factory: EncoderFactory): void {
    if (this.factories.has(name)) throw new TypeError(`The wire ${name} has an encoder already`);
    this.factories.set(name, factory);
  }

  /** @throws AppError INVALID_PARAMETER naming the wires there are */
  get(name: string): EncoderFactory {
    const factory = this.factories.get(name);
    if (factory) return factory;
    const message = `protocol must be one of ${this.names.join(', ')}`;
    throw new AppError('INVALID_PARAMETER', message, { details: [{ path: 'protocol', message }] });
  }
}
