import type { useChat } from '@ai-sdk/react';
import { getToolName, isStaticToolUIPart } from 'ai';
import { useEffect, useRef } from 'react';
import type { ChatMessage } from './api.js';
import { PAGE_TOOLS } from './page-tools.js';

type ChatOfPage = Pick<ReturnType<typeof useChat<ChatMessage>>, 'messages' | 'status' | 'addToolOutput'>;
type Result = { readonly output: unknown } | { readonly state: 'output-error'; readonly errorText: string };

/**
 * Answers the open calls of the page's tools, also those of a page that was closed before it could. Each is run once, and
 * its result is kept for the case that the server does not get it at first.
 */
export function usePageTools({ messages, status, addToolOutput }: ChatOfPage): void {
  const results = useRef(new Map<string, Result>());
  useEffect(() => {
    if (status !== 'ready') return;
    for (const part of messages.at(-1)?.parts ?? []) {
      // The calls of the server's tools are dynamic.
      if (!isStaticToolUIPart(part) || part.state !== 'input-available') continue;
      const { toolCallId, input } = part;
      const tool = getToolName(part);
      const result = results.current.get(toolCallId) ?? run(tool, input);
      results.current.set(toolCallId, result);
      void addToolOutput({ tool, toolCallId, ...result });
    }
  }, [messages, status, addToolOutput]);
}

function run(name: string, input: unknown): Result {
  try {
    const tool = PAGE_TOOLS[name];
    if (!tool) throw new Error(`This page has no tool ${name}.`);
    return { output: tool.run(input) };
  } catch (error) {
    return { state: 'output-error', errorText: error instanceof Error ? error.message : String(error) };
  }
}
