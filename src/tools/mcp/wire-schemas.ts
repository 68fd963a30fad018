import { z } from 'zod';

/**
 * What is asked of a server's answers. Less than the protocol's own schemas: one tool or one piece of
 * content that is not as it should be must not cost all the others.
 */
export const ToolPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/** A tool as a server describes it. */
export const ToolDescription = z.looseObject({
  name: z.string().min(1).max(256),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z.record(z.string(), z.unknown()).optional().catch(undefined),
  execution: z.looseObject({ taskSupport: z.string().optional() }).optional().catch(undefined),
});
export type ToolDescription = z.infer<typeof ToolDescription>;

/** The result of a call. */
export const CallResult = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});
export type CallResult = z.infer<typeof CallResult>;
