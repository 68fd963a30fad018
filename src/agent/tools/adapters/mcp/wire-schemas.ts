import { z } from 'zod';

/**
 * Schemas of a server's answers. They are less strict than those of the protocol, so that one invalid tool or
 * content does not invalidate the whole list.
 */
export const ToolPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/** A tool as a server describes it. */
export const ToolDescription = z.looseObject({
  name: z.string().min(1).max(256),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
  annotations: z.record(z.string(), z.unknown()).optional().catch(undefined),
  execution: z.looseObject({ taskSupport: z.string().optional() }).optional().catch(undefined),
});
/** A tool as a server describes it, validated. */
export type ToolDescription = z.infer<typeof ToolDescription>;

/** The result of a call. */
export const CallResult = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});
/** The result of a call, validated. */
export type CallResult = z.infer<typeof CallResult>;
