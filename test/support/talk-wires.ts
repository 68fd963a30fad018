import { TALK_WIRES, wireTitle } from '../../console/src/lib/wires.js';

/** The wires of Talk, as its list names them. */
export const TALK: readonly string[] = TALK_WIRES.map(wireTitle);
