import { matchesGlob, StartupError } from '../../../../common/index.js';
import { FAMILY_PROFILES } from './family-profiles.js';
import type { FamilyProfile, ServerProfile } from './profile.js';
import { SERVER_PROFILES } from './server-profiles.js';
import { GENERIC_RULES, merged, overridden, type RuleChange, type WireRules } from './wire-rules.js';

/** What a profile is chosen by. */
export interface ProfileClues {
  /** `LLM_PROFILE`: the name of a profile, or those of a server and a family, joined by `+`. */
  readonly named?: string | undefined;
  /** What errors and logs call the setting with this name. Default: `LLM_PROFILE`. */
  readonly namedBy?: string | undefined;
  /** The host name of the base URL. */
  readonly hostname: string;
  readonly model: string;
  /** What the server writes as the owner of its models; undefined if it was not asked or does not say. */
  readonly ownedBy?: string | undefined;
  /** `LLM_COMPAT`: rules in the place of those of the profile. */
  readonly overrides?: RuleChange | undefined;
}

/** The chosen profile. */
export interface ChosenProfile {
  /** `generic`, the name of a server or a family, or both joined by `+`. */
  readonly name: string;
  /** What it was chosen by, as the end of the sentence "The profile was chosen by …". */
  readonly reason: string;
  readonly rules: WireRules;
}

/** The name of the profile of servers of which nothing is known. */
export const GENERIC = 'generic';

/**
 * Chooses by name, host, model, then owner (contract model-servers, section 0). A server that passes requests on is
 * combined with the family of the model; where both have a rule, that of the server counts.
 *
 * @throws StartupError if the named profile does not exist
 */
export function chooseProfile(clues: ProfileClues): ChosenProfile {
  const found = byName(clues) ?? byHost(clues) ?? byModel(clues) ?? byOwner(clues);
  const { name, reason, change } = found ?? {
    name: GENERIC,
    reason: 'nothing that is known of the server',
    change: {},
  };
  const rules = overridden(GENERIC_RULES, change);
  return { name, reason, rules: clues.overrides ? withOverrides(rules, clues.overrides) : rules };
}

/** What the operator says holds however hard the model thinks, unless the operator says otherwise for that. */
function withOverrides(rules: WireRules, overrides: RuleChange): WireRules {
  const { withThinking, withoutThinking } = rules;
  const remaining = (change: RuleChange): RuleChange =>
    Object.fromEntries(Object.entries(change).filter(([name]) => !Object.hasOwn(overrides, name)));
  const below = overridden(rules, {
    withThinking: remaining(withThinking),
    withoutThinking: remaining(withoutThinking),
  });
  return overridden(below, overrides);
}

/** The server at a host; undefined if it is none that is known. */
export function serverAt(hostname: string): ServerProfile | undefined {
  const host = hostname.toLowerCase();
  return SERVER_PROFILES.find(({ hosts }) => hosts.some((pattern) => matchesGlob(pattern, host)));
}

/** The family of a model, by its name; undefined if it is of none that is known. */
export function familyOf(model: string): FamilyProfile | undefined {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return FAMILY_PROFILES.find(({ models }) => models.some((pattern) => matchesGlob(pattern, name)));
}

interface Found {
  readonly name: string;
  readonly reason: string;
  readonly change: RuleChange;
}

function byName({ named, namedBy: reason = 'LLM_PROFILE', model }: ProfileClues): Found | undefined {
  if (named === undefined) return undefined;
  if (named === GENERIC) return { name: GENERIC, reason, change: {} };
  const [first = '', second] = named.split('+');
  const server = SERVER_PROFILES.find(({ name }) => name === first);
  const family = FAMILY_PROFILES.find(({ name }) => name === (second ?? first));
  if (second !== undefined ? !server || !family : !server && !family) {
    throw new StartupError(unknownProfile(named, reason));
  }
  if (!server) return { name: named, reason, change: wholeOf(family) };
  return { ...combination(server, second === undefined ? familyOf(model) : family), reason };
}

function byHost({ hostname, model }: ProfileClues): Found | undefined {
  const server = serverAt(hostname);
  return server && { ...combination(server, familyOf(model)), reason: `the host ${hostname.toLowerCase()}` };
}

function byModel({ model }: ProfileClues): Found | undefined {
  const family = familyOf(model);
  return family && { name: family.name, reason: `the model name ${model}`, change: wholeOf(family) };
}

function byOwner({ ownedBy, model }: ProfileClues): Found | undefined {
  const server = ownedBy === undefined ? undefined : SERVER_PROFILES.find((one) => one.ownedBy?.includes(ownedBy));
  return server && { ...combination(server, familyOf(model)), reason: `the owner ${ownedBy} in its list of models` };
}

/** The rules of a server, and beneath them those that it takes over from the model. */
function combination(server: ServerProfile, family: FamilyProfile | undefined): Omit<Found, 'reason'> {
  const below = family === undefined || server.combines === 'nothing' ? {} : passedOn(family, server.combines);
  if (Object.keys(below).length === 0) return { name: server.name, change: server.rules };
  return {
    // A vendor and its own family are one.
    name: server.name === family?.name ? server.name : `${server.name}+${family?.name}`,
    change: merged(withOmitted(below, server.rules.omit ?? []), server.rules),
  };
}

/** What a server leaves out is left out however the model thinks. */
function withOmitted(rules: RuleChange, omit: readonly string[]): RuleChange {
  const { withThinking = {}, withoutThinking = {} } = rules;
  const both = { withThinking: alsoOmitting(withThinking, omit), withoutThinking: alsoOmitting(withoutThinking, omit) };
  return Object.assign({}, rules, both);
}

function alsoOmitting(change: RuleChange, omit: readonly string[]): RuleChange {
  return change.omit ? merged(change, { omit }) : change;
}

function passedOn(family: FamilyProfile, combines: 'all' | 'template'): RuleChange {
  return combines === 'all' ? wholeOf(family) : family.template;
}

function wholeOf(family: FamilyProfile | undefined): RuleChange {
  return family ? merged(family.template, family.rules) : {};
}

function unknownProfile(named: string, setting: string): string {
  const servers = SERVER_PROFILES.map(({ name }) => name).join(', ');
  const families = FAMILY_PROFILES.map(({ name }) => name).join(', ');
  return (
    `${setting} must be ${GENERIC}, a server (${servers}), a model family (${families}), ` +
    `or a server and a family joined by +, not ${JSON.stringify(named)}`
  );
}
