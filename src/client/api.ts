/* eslint-disable */
// Made of docs/openapi.json by npm run openapi.
export interface paths {
    "/api/v1/agent/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload an image
         * @description The type is determined from the bytes. An image that no message refers to is deleted after 24 hours.
         */
        post: operations["attachments_upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a run
         * @description Accepts a run. The same request again gets the same answer and `Idempotency-Replayed: true`. The run continues when its client disconnects.
         */
        post: operations["runs_submit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         * @description Those that the caller may run.
         */
        get: operations["catalog_listAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs
         * @description Newest first, of all sessions that the caller may read.
         */
        get: operations["runsRead_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a run
         * @description With its recoveries, its interrupts, its worker and its authority. `id` may also be the `runId` of AG-UI.
         */
        get: operations["runsRead_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The events of a run
         * @description In order. Events are numbered without gaps, so `after` reaches any place of a long log at once.
         */
        get: operations["runLog_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/response": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The response of a run
         * @description The terminal event, which is kept when events are removed; of a run that has not ended, the response so far.
         */
        get: operations["runsRead_response"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List schedules
         * @description Newest first.
         */
        get: operations["schedules_list"];
        put?: never;
        /**
         * Create a schedule
         * @description Its runs belong to the user of the caller and have the rights of the caller, which are checked again each time.
         */
        post: operations["schedules_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description Those that the caller may read, the last changed first.
         */
        get: operations["sessions_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The messages of a session
         * @description Newest first, or in their order with `order=asc`.
         */
        get: operations["sessions_messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tools
         * @description The tools of the server and of its MCP servers that the caller may use.
         */
        get: operations["catalog_listTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Oldest first.
         */
        get: operations["webhooks_list"];
        put?: never;
        /**
         * Create a webhook
         * @description The secret is shown only in this response. Events are announced within two seconds, by all servers. At most 20 for each tenant.
         */
        post: operations["webhooks_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/interrupts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List interrupts
         * @description Approvals and inputs, newest first.
         */
        get: operations["interrupts_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/interrupts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an interrupt
         * @description Its current status.
         */
        get: operations["interrupts_read"];
        put?: never;
        /**
         * Answer an interrupt
         * @description A new run continues the session. An input is checked against its schema. An interrupt is answered once.
         */
        post: operations["interrupts_answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AgentDto: {
            /** @example Answers questions and uses tools. */
            description: string;
            /** @enum {string} */
            exposure: "public" | "internal";
            /** @description Whether requests that name no agent get this one. */
            isDefault: boolean;
            /** @description Model calls that one run of it may make. */
            maxSteps: number;
            /**
             * @description The model that answers requests which name none: the one that the agent has chosen, or the default one, by its `name` in the list of models. Null for an agent that runs elsewhere.
             * @example fast
             */
            model: string | null;
            /**
             * @description What it asks of the model with every call; options of a request take precedence.
             * @example {
             *       "maxTokens": 2000,
             *       "temperature": 0.2
             *     }
             */
            modelOptions: {
                [key: string]: unknown;
            };
            /**
             * @description The agent type.
             * @example worker
             */
            name: string;
            /**
             * @description What happens with a run whose worker was lost.
             * @enum {string}
             */
            recovery: "journal" | "restart" | "fail";
            /** @description Of an agent that runs elsewhere; for callers with the scope `ops:read`. */
            remote?: components["schemas"]["RemoteAgentDto"];
            /**
             * @description Names and globs of the tools of the server that it has; null: all.
             * @example [
             *       "get_order",
             *       "files/*"
             *     ]
             */
            tools: string[] | null;
        };
        AgentListDto: {
            data: components["schemas"]["AgentDto"][];
            /** @description Always null: all agents are on one page. */
            nextCursor: string | null;
        };
        AgentResponseDto: {
            /** @description Seconds since the epoch. */
            completed_at: number | null;
            /** @description Seconds since the epoch. */
            created_at: number;
            error: components["schemas"]["ErrorModelDto"] | null;
            /** @example response_6c1f0c1e-5a3f-4f0e-9f66-0d5c0a3f5f11 */
            id: string;
            /** @enum {string} */
            object: "response";
            /** @description Complete in the last event of a stream, whatever its status. */
            output: components["schemas"]["MessageDto"][] | null;
            /** @description In streams only: the number of the event in the stream, from 0. */
            sequence_number?: number;
            session_id: string | null;
            /** @enum {string} */
            status: "created" | "in_progress" | "completed" | "canceled" | "failed" | "rejected" | "unknown" | "queued" | "incomplete";
            /**
             * @example {
             *       "input_tokens": 12,
             *       "output_tokens": 34
             *     }
             */
            usage: {
                [key: string]: unknown;
            } | null;
        };
        ApproversDto: {
            /** @description Whether somebody else than the owner and the starter of the run has to decide. */
            notOwner: boolean;
            /** @description Patterns of role names, of which one must match; empty: any role. */
            roles: string[];
        };
        AttachmentDto: {
            /**
             * Format: date-time
             * @example 2026-03-16T17:12:33.000Z
             */
            expiresAt: string;
            /** @example sketch.png */
            filename: string;
            /**
             * Format: uuid
             * @example 6f1c2a3e-9b1d-4c7e-8a53-0d2f5c1b7e90
             */
            id: string;
            /**
             * @description Determined from the bytes.
             * @example image/png
             */
            mimeType: string;
            /** @description SHA-256 of the bytes, hex. */
            sha256: string;
            /**
             * @description Bytes.
             * @example 68123
             */
            size: number;
            /** @description Signed URL, for the url of an image in a message or for display, until it expires. */
            url: string;
        };
        AttachmentErrorDto: {
            /** @example ATTACHMENT_TOO_LARGE */
            code: string;
            /** @example The file exceeds the size limit of 10485760 bytes */
            message: string;
        };
        AttachmentUploadDto: {
            /**
             * Format: binary
             * @description PNG, JPEG, WebP, GIF, HEIC or AVIF.
             */
            file: string;
            /**
             * Format: uuid
             * @description The intended thread. The image may be used in any thread of the user.
             */
            threadId?: string;
        };
        AudioContentDto: {
            /** @description Base64 or a data URL. */
            data?: string | null;
            /** @description true: a piece to append (text, refusal), or the value so far (other types). false: the whole value. */
            delta?: boolean | null;
            error?: components["schemas"]["ErrorModelDto"] | null;
            /** @example wav */
            format?: string | null;
            /** @description The position in the message, from 0. */
            index?: number | null;
            /** @description The message this content belongs to. */
            msg_id?: string | null;
            /** @enum {string} */
            object?: "content";
            /** @enum {string|null} */
            status?: "created" | "in_progress" | "completed" | "canceled" | "failed" | "rejected" | "unknown" | "queued" | "incomplete" | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "audio";
        };
        BinaryBlockDto: {
            filename?: string;
            id?: string;
            /** @example image/png */
            mimeType: string;
            /** @enum {string} */
            type: "binary";
            /** @description A signed URL of this server. */
            url: string;
        };
        CreateScheduleDto: {
            /**
             * @description The agent type.
             * @example worker
             */
            agent?: string;
            /**
             * Format: date-time
             * @description Once.
             * @example 2030-01-31T09:00:00Z
             */
            at?: string | null;
            /**
             * @description Which of the times are made up for that were missed by more than a minute: `all` means 24 at most.
             * @default last
             * @enum {string}
             */
            catchUp?: "none" | "last" | "all";
            /**
             * @description Five fields with names, lists, ranges, steps and `L`, or `@daily` and the like, in local times of the zone.
             * @example 0 9 * * mon-fri
             */
            cron?: string | null;
            /** @default true */
            enabled?: boolean;
            /**
             * @description A duration of ISO 8601 of elapsed time, from PT1M to P366D.
             * @example PT15M
             */
            every?: string | null;
            /**
             * Format: date-time
             * @description No planned time is later.
             */
            expiresAt?: string | null;
            /** @example Write the morning report. */
            input: string | {
                [key: string]: unknown;
            }[];
            /**
             * @description Spreads the beginning over these seconds.
             * @default 0
             */
            jitterSeconds?: number;
            /** @description Passed on to the agent with each run. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description `model`, `temperature`, `top_p`, `frequency_penalty`, `presence_penalty`, `max_tokens`, `seed`.
             * @example {
             *       "temperature": 0.2
             *     }
             */
            modelOptions?: {
                [key: string]: unknown;
            } | null;
            /** @example Morning report */
            name: string;
            /**
             * @description What happens at a planned time while the run of the one before has not ended.
             * @default skip
             * @enum {string}
             */
            overlap?: "skip" | "queue" | "cancel";
            /**
             * @description `new`: a session for each run; or the id of a session.
             * @default new
             */
            session?: string;
            /**
             * @description IANA name. Default: the user's settings, else UTC.
             * @example Europe/Berlin
             */
            timezone?: string;
        };
        CreateWebhookDto: {
            /**
             * @description null: all agents.
             * @example [
             *       "support-*"
             *     ]
             */
            agents?: string[] | null;
            /** @description For people. */
            description?: string | null;
            /**
             * @description Enabling an endpoint that the server has disabled tries again.
             * @default true
             */
            enabled?: boolean;
            /**
             * @description Names and globs of events: `run.started`, `run.completed`, `run.incomplete`, `run.failed`, `run.canceled`, `run.interrupted`, `interrupt.requested`, `interrupt.answered`, `interrupt.expired`, `budget.threshold`, `budget.exceeded`, `schedule.missed`, `schedule.suspended`, `endpoint.test`. `run.started` has to be named literally. Empty: only runs that name the endpoint.
             * @example [
             *       "run.*"
             *     ]
             */
            events: string[];
            /**
             * @default parley
             * @enum {string}
             */
            format?: "parley" | "openai";
            /** @default [] */
            include?: ("output" | "error" | "arguments")[];
            /** @example https://example.com/hooks/parley */
            url: string;
        };
        DataContentDto: {
            /**
             * @example {
             *       "arguments": "{\"city\":\"Hangzhou\"}",
             *       "call_id": "call_1",
             *       "name": "get_weather"
             *     }
             */
            data?: {
                [key: string]: unknown;
            } | null;
            /** @description true: a piece to append (text, refusal), or the value so far (other types). false: the whole value. */
            delta?: boolean | null;
            error?: components["schemas"]["ErrorModelDto"] | null;
            /** @description The position in the message, from 0. */
            index?: number | null;
            /** @description The message this content belongs to. */
            msg_id?: string | null;
            /** @enum {string} */
            object?: "content";
            /** @enum {string|null} */
            status?: "created" | "in_progress" | "completed" | "canceled" | "failed" | "rejected" | "unknown" | "queued" | "incomplete" | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "data";
        };
        DecidedByDto: {
            actor: components["schemas"]["DeciderActorDto"];
            /** @example 0f6f3c0d */
            requestId: string;
            /**
             * @description The user that it acted for.
             * @example ana
             */
            userId: string;
        };
        DeciderActorDto: {
            /**
             * @description The account of a key.
             * @example ci
             */
            account?: string;
            /** @example ana */
            id: string;
            /** @enum {string} */
            kind: "key" | "user" | "proxy" | "cli" | "none";
        };
        ErrorBodyDto: {
            /**
             * @example PARAMETER_VALIDATION
             * @enum {string}
             */
            code: "INVALID_JSON" | "INVALID_PARAMETER" | "MISSING_PARAMETER" | "PARAMETER_VALIDATION" | "NOTHING_NEW" | "AUTH_FAILED" | "PERMISSION_DENIED" | "RESOURCE_NOT_FOUND" | "RUN_NOT_FOUND" | "TASK_NOT_FOUND" | "SESSION_NOT_FOUND" | "AGENT_NOT_FOUND" | "INTERRUPT_NOT_FOUND" | "API_KEY_NOT_FOUND" | "WEBHOOK_NOT_FOUND" | "DELIVERY_NOT_FOUND" | "SCHEDULE_NOT_FOUND" | "TENANT_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "SESSION_BUSY" | "RUN_ID_CONFLICT" | "MESSAGE_CONFLICT" | "AMBIGUOUS_ID" | "SESSION_EXISTS" | "API_KEY_ENDED" | "TENANT_EXISTS" | "TENANT_BUSY" | "WEBHOOK_LIMIT" | "WEBHOOK_DISABLED" | "SCHEDULE_LIMIT" | "SCHEDULE_DECLARED" | "EVENTS_EXPIRED" | "CURSOR_AHEAD" | "TOOL_CALL_ALREADY_ANSWERED" | "INTERRUPT_ALREADY_ANSWERED" | "INTERRUPT_PENDING" | "INTERRUPT_EXPIRED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "ATTACHMENT_NOT_FOUND" | "ATTACHMENT_TOO_LARGE" | "ATTACHMENT_EMPTY" | "ATTACHMENT_INVALID" | "SIGNATURE_EXPIRED" | "INVALID_USER_SETTINGS" | "RATE_LIMIT_EXCEEDED" | "QUEUE_FULL" | "BUDGET_EXCEEDED" | "AGENT_UNKNOWN_ERROR" | "INTERNAL_ERROR" | "DATABASE_ERROR" | "IDENTITY_UNAVAILABLE" | "ATTACHMENT_STORE_ERROR" | "NOT_READY" | "SHUTTING_DOWN" | "REJECTED" | "AGENT_ERROR" | "CONFIGURATION_ERROR" | "TIMEOUT" | "LOOP_DETECTED" | "WORKER_LOST" | "JOURNAL_MISMATCH" | "TOOL_NOT_FOUND" | "TOOL_EXECUTION_FAILED" | "TOOL_IN_DOUBT" | "MCP_CONNECTION_FAILED" | "MCP_PROTOCOL_ERROR" | "MODEL_EXECUTION_FAILED" | "MODEL_TIMEOUT" | "MODEL_NOT_FOUND" | "MODEL_UNAUTHORIZED_ACCESS" | "MODEL_QUOTA_EXCEEDED" | "MODEL_RATE_LIMIT_EXCEEDED" | "MODEL_CONTEXT_LENGTH_EXCEEDED" | "UPSTREAM_FAILED" | "UPSTREAM_REJECTED" | "UPSTREAM_CANCELED" | "UPSTREAM_UNAUTHORIZED" | "UPSTREAM_BUSY" | "UPSTREAM_UNAVAILABLE" | "UPSTREAM_LOST" | "UPSTREAM_TIMEOUT" | "UPSTREAM_PROTOCOL_ERROR" | "UPSTREAM_IN_DOUBT";
            details?: components["schemas"]["ErrorDetailDto"][];
            /** @example input[0].content must be a list, not a string */
            message: string;
            /** @description The id of the request in the server's log; with 5xx only. */
            requestId?: string;
        };
        ErrorDetailDto: {
            /** @example input[0].content must be a list, not a string */
            message: string;
            /** @example input[0].content */
            path: string;
        };
        ErrorModelDto: {
            /** @example MODEL_TIMEOUT */
            code: string;
            /** @example The model did not answer in time */
            message: string;
        };
        EventPageDto: {
            data: components["schemas"]["LoggedEventDto"][];
            /** @description The `after` of the next page; null if no committed event follows. A page looks at 5,000 events at most, so with `text` or `type` it may have fewer than `limit` events, or none, although more follow. */
            nextCursor: string | null;
            /** @description How many events the run has so far. */
            total: number;
        };
        FileContentDto: {
            /** @description true: a piece to append (text, refusal), or the value so far (other types). false: the whole value. */
            delta?: boolean | null;
            error?: components["schemas"]["ErrorModelDto"] | null;
            file_data?: string | null;
            file_id?: string | null;
            file_url?: string | null;
            filename?: string | null;
            /** @description The position in the message, from 0. */
            index?: number | null;
            /** @description The message this content belongs to. */
            msg_id?: string | null;
            /** @enum {string} */
            object?: "content";
            /** @enum {string|null} */
            status?: "created" | "in_progress" | "completed" | "canceled" | "failed" | "rejected" | "unknown" | "queued" | "incomplete" | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "file";
        };
        ImageContentDto: {
            /** @description true: a piece to append (text, refusal), or the value so far (other types). false: the whole value. */
            delta?: boolean | null;
            error?: components["schemas"]["ErrorModelDto"] | null;
            /** @description An address or a data URL. */
            image_url?: string | null;
            /** @description The position in the message, from 0. */
            index?: number | null;
            /** @description The message this content belongs to. */
            msg_id?: string | null;
            /** @enum {string} */
            object?: "content";
            /** @enum {string|null} */
            status?: "created" | "in_progress" | "completed" | "canceled" | "failed" | "rejected" | "unknown" | "queued" | "incomplete" | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "image";
        };
        InterruptAnswerDto: {
            /** @description The decision about an approval. */
            approve?: boolean;
            /** @description Replaces all arguments of the call, if `mayEdit` is true. */
            arguments?: {
                [key: string]: unknown;
            };
            /** @description true: nobody will answer. An approval is denied then. */
            cancel?: boolean;
            /**
             * @description The input: any JSON that matches the response schema.
             * @example {
             *       "seat": "12A"
             *     }
             */
            payload?: {
                [key: string]: unknown;
            };
            reason?: string;
        };
        InterruptDecisionDto: {
            /** @description Of an approval. */
            approve?: boolean;
            /** @description Of an approval: the arguments that replaced those of the model. */
            arguments?: {
                [key: string]: unknown;
            };
            /** @description Of an approval: their JSON text, if they have integers beyond 2^53. */
            argumentsText?: string;
            /** @description Of an input: the value. */
            payload?: {
                [key: string]: unknown;
            };
            /** @description Why it was denied, or not answered. */
            reason?: string;
        };
        InterruptDto: {
            /**
             * @description The agent; null once the run is removed.
             * @example worker
             */
            agent: string | null;
            /** Format: date-time */
            answeredAt: string | null;
            /** @description null: whoever may decide approvals. */
            approvers: components["schemas"]["ApproversDto"] | null;
            /**
             * @description The arguments as the model wrote them.
             * @example {
             *       "title": "Lunch"
             *     }
             */
            arguments: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The call that needs the approval.
             * @example call_1
             */
            callId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Who answered it. Absent without authentication. */
            decidedBy?: components["schemas"]["DecidedByDto"];
            /**
             * @example {
             *       "approve": true,
             *       "reason": "fine"
             *     }
             */
            decision: components["schemas"]["InterruptDecisionDto"] | null;
            /** Format: date-time */
            expiresAt: string | null;
            /** @example apr_7f9d2c1e-5b1f-4a55-9d3a-0f6f3c0d8a11 */
            id: string;
            /** @enum {string} */
            kind: "approval" | "input";
            /** @description Whether the arguments may be changed. */
            mayEdit: boolean;
            /** @description The message for the person. */
            message: string | null;
            /** @description Why the policy requires an approval. */
            reason: string | null;
            /**
             * @description Why the caller may not answer it; null if it may, and once it no longer waits.
             * @example The scope approvals:decide is required
             */
            refusal: string | null;
            /**
             * @description The first 200 characters of the text of the user that led to it.
             * @example Add lunch to my calendar
             */
            request: string | null;
            /** @description The JSON Schema of the input. */
            responseSchema: {
                [key: string]: unknown;
            } | null;
            /** @description The run that continues with the decision. */
            resumedByRunId: string | null;
            /**
             * @description The run that was interrupted.
             * @example response_1
             */
            runId: string;
            /** @description The MCP server; `local` for a tool of this server. */
            serverLabel: string | null;
            /** @example session-1 */
            sessionId: string;
            /**
             * @example pending
             * @enum {string}
             */
            status: "pending" | "approved" | "denied" | "answered" | "cancelled" | "expired";
            /** @example calendar_write */
            toolName: string | null;
            /**
             * @description The user whose run asks.
             * @example alice
             */
            userId: string;
        };
        InterruptListDto: {
            data: components["schemas"]["InterruptDto"][];
            /** @description The `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        IssuedWebhookDto: {
            /**
             * @description Globs; null: all agents.
             * @example [
             *       "support-*"
             *     ]
             */
            agents: string[] | null;
            /** Format: date-time */
            createdAt: string;
            /** @example Nightly reports */
            description: string | null;
            /** @description Why the server has disabled it; null if it has not. */
            disabledReason: string | null;
            enabled: boolean;
            /**
             * @description Names and globs of events: `run.started`, `run.completed`, `run.incomplete`, `run.failed`, `run.canceled`, `run.interrupted`, `interrupt.requested`, `interrupt.answered`, `interrupt.expired`, `budget.threshold`, `budget.exceeded`, `schedule.missed`, `schedule.suspended`, `endpoint.test`. `run.started` has to be named literally. Empty: only runs that name the endpoint.
             * @example [
             *       "run.*",
             *       "interrupt.requested"
             *     ]
             */
            events: string[];
            /**
             * @description `openai`: the events of the webhooks of OpenAI, of runs alone.
             * @enum {string}
             */
            format: "parley" | "openai";
            /** @example wh_0b6f5d1c2a3e4f5061728394a5b6c7d8 */
            id: string;
            /** @description Content that events have besides ids and states. */
            include: ("output" | "error" | "arguments")[];
            /**
             * Format: date-time
             * @description When the receiver last took an event, accurate to a minute.
             */
            lastSuccessAt: string | null;
            /**
             * @description Signs the events. It is shown only this once.
             * @example whsec_…
             */
            secret: string;
            /** @example https://example.com/hooks/parley */
            url: string;
        };
        LastRunDto: {
            /** @example worker */
            agent: string;
            /** @example response_1 */
            id: string;
            /** @description The first words of its input. */
            input: string | null;
            /** @example completed */
            status: string;
            /**
             * @description As `waitsFor` of a run.
             * @enum {string|null}
             */
            waitsFor: "approval" | "input" | "client" | null;
            /** @example ag-ui */
            wire: string;
        };
        LoggedEventDto: {
            /**
             * Format: date-time
             * @description When it was committed.
             */
            at: string;
            /**
             * @example {
             *       "id": "msg_1",
             *       "object": "message",
             *       "status": "created",
             *       "type": "message"
             *     }
             */
            event: {
                [key: string]: unknown;
            };
            /**
             * @description Its number in the log, from 0, without gaps.
             * @example 0
             */
            seq: number;
            /**
             * @example message
             * @enum {string}
             */
            type: "response" | "message" | "content" | "state" | "step" | "activity" | "custom" | "raw" | "subagent" | "interrupt";
        };
        MessageDto: {
            code?: string | null;
            content: (components["schemas"]["TextContentDto"] | components["schemas"]["ImageContentDto"] | components["schemas"]["DataContentDto"] | components["schemas"]["AudioContentDto"] | components["schemas"]["FileContentDto"] | components["schemas"]["RefusalContentDto"] | components["schemas"]["VideoContentDto"])[] | null;
            error?: components["schemas"]["ErrorModelDto"] | null;
            /** @description Generated by default. */
            id?: string;
            message?: string | null;
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            object?: "message";
            /** @enum {string|null} */
            role?: "assistant" | "user" | "system" | "tool" | null;
            /**
             * @default created
             * @enum {string}
             */
            status?: "created" | "in_progress" | "completed" | "canceled" | "failed" | "rejected" | "unknown" | "queued" | "incomplete";
            /**
             * @default message
             * @enum {string}
             */
            type?: "message" | "function_call" | "function_call_output" | "plugin_call" | "plugin_call_output" | "component_call" | "component_call_output" | "mcp_list_tools" | "mcp_approval_request" | "mcp_call" | "mcp_approval_response" | "mcp_call_output" | "reasoning" | "heartbeat" | "error" | "a2ui_response" | "a2ui_action";
            /**
             * @example {
             *       "input_tokens": 12,
             *       "output_tokens": 34
             *     }
             */
            usage?: {
                [key: string]: unknown;
            } | null;
        };
        RefusalContentDto: {
            /** @description true: a piece to append (text, refusal), or the value so far (other types). false: the whole value. */
            delta?: boolean | null;
            error?: components["schemas"]["ErrorModelDto"] | null;
            /** @description The position in the message, from 0. */
            index?: number | null;
            /** @description The message this content belongs to. */
            msg_id?: string | null;
            /** @enum {string} */
            object?: "content";
            refusal?: string | null;
            /** @enum {string|null} */
            status?: "created" | "in_progress" | "completed" | "canceled" | "failed" | "rejected" | "unknown" | "queued" | "incomplete" | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "refusal";
        };
        RemoteAgentDto: {
            /**
             * @description Without secrets.
             * @example https://travel.example/v1
             */
            address: string;
            /** @description Exchanges in progress. */
            inFlight: number;
            /**
             * @description The protocol.
             * @example ag-ui
             */
            kind: string;
            lastError: components["schemas"]["RemoteFailureDto"] | null;
            /**
             * @description What becomes of an exchange whose connection or process is lost; `resend`: it begins again.
             * @enum {string}
             */
            onLoss: "continue" | "fail" | "resend";
            /** @description Connections that were lost and made again. */
            reattachments: number;
            /** @description Whether the server is not ready while it does not answer. */
            required: boolean;
            /**
             * @description `idle`: not asked yet.
             * @enum {string}
             */
            state: "idle" | "up" | "down";
        };
        RemoteFailureDto: {
            /** Format: date-time */
            at: string;
            /** @example UPSTREAM_LOST */
            code: string;
            message: string;
        };
        RunContextDto: {
            description: string;
            value: string;
        };
        RunDetailDto: {
            /** @example worker */
            agent: string;
            /**
             * @description The model that made the newest answer, as its server names it; null before the run has ended, and if none did.
             * @example gpt-5-mini-2025-08-07
             */
            answeredBy: string | null;
            /**
             * @description How often it was started; more than 1 after a recovery.
             * @example 1
             */
            attempt: number;
            /**
             * @description Who started it and what it may do; null without authentication. Only the kind of the actor unless the caller is that actor or has `data:tenant`.
             * @example {
             *       "actor": {
             *         "account": "ci",
             *         "id": "s1WDTnnBttOI",
             *         "kind": "key"
             *       },
             *       "agents": [],
             *       "models": [],
             *       "roles": [],
             *       "tools": []
             *     }
             */
            authority: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When its cancellation was requested first.
             */
            cancelRequestedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            endedAt: string | null;
            error: components["schemas"]["RunErrorDto"] | null;
            /** @description How many events are committed. */
            eventCount: number;
            /**
             * Format: date-time
             * @description When its events were removed; null while it has them.
             */
            eventsRemovedAt: string | null;
            /** @example response_7f9d2c1e-5b1f-4a55-9d3a-0f6f3c0d8a11 */
            id: string;
            /**
             * @description The first 200 characters of the newest text of the user in the request.
             * @example What is the weather in Graz?
             */
            input: string | null;
            /** @description What an interrupted run has asked. */
            interrupts: components["schemas"]["RunInterruptDto"][];
            /** @description Whether a run that was interrupted is continued by the next one of its session. */
            isContinued: boolean;
            /** @description The model that the request names; null if it names none. */
            model: string | null;
            /** @description Its number in its session. */
            ordinal: number;
            /** @description The client’s id of the run before. */
            parentRunId: string | null;
            /** @description 1 for the next run of its session; null unless the run is queued. */
            queuePosition: number | null;
            /** @description Why the caller may not cancel it, whether or not it has ended; null if it may. */
            refusal: string | null;
            /** @description The client’s id of the run, unique in its session. */
            runKey: string | null;
            /** @example session-1 */
            sessionId: string;
            /** Format: date-time */
            startedAt: string | null;
            /**
             * @example completed
             * @enum {string}
             */
            status: "queued" | "running" | "completed" | "incomplete" | "failed" | "canceled" | "interrupted";
            /** @description Where the run was recovered, oldest first. */
            takeovers: components["schemas"]["TakeoverDto"][];
            /** @description True for a run that failed because it took too long. */
            timedOut: boolean;
            /** @description The run that this one continues with an answer; null for the first run of a turn. */
            turn: components["schemas"]["RunTurnDto"] | null;
            usage: components["schemas"]["TokenUsageDto"] | null;
            /**
             * @description The user it belongs to.
             * @example alice
             */
            userId: string;
            /**
             * @description What an interrupted run waits for: a decision, a value, or results of tools of the client. null once its turn went on, or cannot any more.
             * @enum {string|null}
             */
            waitsFor: "approval" | "input" | "client" | null;
            /**
             * @description The wire that has accepted it.
             * @example ag-ui
             */
            wire: string;
            /** @description The process that executes it; null while none does. */
            worker: string | null;
        };
        RunErrorDto: {
            /** @example MODEL_TIMEOUT */
            code: string;
            /** @example The model did not answer in time */
            message: string;
        };
        RunInterruptDto: {
            /**
             * @description As `GET /interrupts/{id}`.
             * @example apr_7f9d2c1e-5b1f-4a55-9d3a-0f6f3c0d8a11
             */
            id: string;
            /** @description Whether a person has approved it with other arguments than those of the model. */
            isEdited: boolean;
            /** @enum {string} */
            kind: "approval" | "input";
            /** @description The run that continues with the answer. */
            resumedByRunId: string | null;
            /** @example pending */
            status: string;
            toolName: string | null;
        };
        RunListDto: {
            data: components["schemas"]["RunSummaryDto"][];
            /** @description The `cursor` of the next page; null on the last page. A page looks at 5,000 runs at most, so with filters it may have fewer than `limit` runs, or none, although more follow. */
            nextCursor: string | null;
        };
        RunMessageDto: {
            content?: string | (components["schemas"]["TextBlockDto"] | components["schemas"]["BinaryBlockDto"])[];
            encryptedValue?: string;
            /** @example msg-001 */
            id: string;
            name?: string;
            /** @enum {string} */
            role: "user" | "assistant" | "system" | "developer" | "tool" | "reasoning" | "activity";
            /** @description For tool messages. */
            toolCallId?: string;
            /** @description For assistant messages. */
            toolCalls?: {
                [key: string]: unknown;
            }[];
        };
        RunSummaryDto: {
            /** @example worker */
            agent: string;
            /**
             * @description The model that made the newest answer, as its server names it; null before the run has ended, and if none did.
             * @example gpt-5-mini-2025-08-07
             */
            answeredBy: string | null;
            /**
             * @description How often it was started; more than 1 after a recovery.
             * @example 1
             */
            attempt: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            endedAt: string | null;
            error: components["schemas"]["RunErrorDto"] | null;
            /** @example response_7f9d2c1e-5b1f-4a55-9d3a-0f6f3c0d8a11 */
            id: string;
            /**
             * @description The first 200 characters of the newest text of the user in the request.
             * @example What is the weather in Graz?
             */
            input: string | null;
            /** @description What an interrupted run has asked. */
            interrupts: components["schemas"]["RunInterruptDto"][];
            /** @description Whether a run that was interrupted is continued by the next one of its session. */
            isContinued: boolean;
            /** @description The model that the request names; null if it names none. */
            model: string | null;
            /** @description 1 for the next run of its session; null unless the run is queued. */
            queuePosition: number | null;
            /** @example session-1 */
            sessionId: string;
            /** Format: date-time */
            startedAt: string | null;
            /**
             * @example completed
             * @enum {string}
             */
            status: "queued" | "running" | "completed" | "incomplete" | "failed" | "canceled" | "interrupted";
            /** @description The run that this one continues with an answer; null for the first run of a turn. */
            turn: components["schemas"]["RunTurnDto"] | null;
            usage: components["schemas"]["TokenUsageDto"] | null;
            /**
             * @description The user it belongs to.
             * @example alice
             */
            userId: string;
            /**
             * @description What an interrupted run waits for: a decision, a value, or results of tools of the client. null once its turn went on, or cannot any more.
             * @enum {string|null}
             */
            waitsFor: "approval" | "input" | "client" | null;
            /**
             * @description The wire that has accepted it.
             * @example ag-ui
             */
            wire: string;
        };
        RunToolDto: {
            description: string;
            name: string;
            /** @description A JSON Schema. */
            parameters: {
                [key: string]: unknown;
            };
        };
        RunTurnDto: {
            /** @example response_5d0c9c1b-55a1-4d0f-8f38-2c9a2f0c7b11 */
            id: string;
            /**
             * @description Its `input`.
             * @example Schedule a meeting with Ana
             */
            input: string | null;
        };
        RunsClientTimeDto: {
            /**
             * @description Milliseconds since the epoch.
             * @example 1773658353000
             */
            client_epoch_ms: number;
            /**
             * @description RFC 3339 with an offset.
             * @example 2026-03-16T09:12:33-07:00
             */
            client_now_iso: string;
            /**
             * @description An IANA name.
             * @example America/Los_Angeles
             */
            device_timezone: string;
        };
        RunsErrorDetailDto: {
            /** @example 201 */
            actual?: number;
            /** @example 200 */
            limit?: number;
            message: string;
            /** @example messages */
            path: string;
            /** @example max */
            rule?: string;
        };
        RunsErrorDto: {
            /**
             * @description In lower case: 84 codes are known; clients should expect more.
             * @example too_many_messages
             */
            code: string;
            details?: components["schemas"]["RunsErrorDetailDto"][];
            /** @example RunAgentInput.messages exceeds limit */
            message: string;
            /** @description The id of the request in the server's log. */
            requestId: string;
        };
        RunsForwardedPropsDto: {
            /** @example worker */
            agent_type: string;
            client_time?: components["schemas"]["RunsClientTimeDto"];
        };
        RunsRunAgentInputDto: {
            context?: components["schemas"]["RunContextDto"][];
            forwardedProps: components["schemas"]["RunsForwardedPropsDto"];
            messages: components["schemas"]["RunMessageDto"][];
            parentRunId?: string;
            /** @description Chosen by the client; unique within the thread. */
            runId: string;
            /** @description An object replaces the shared state of the thread. */
            state?: {
                [key: string]: unknown;
            };
            /** Format: uuid */
            threadId: string;
            tools?: components["schemas"]["RunToolDto"][];
        };
        ScheduleDto: {
            /** @example worker */
            agent: string;
            /** Format: date-time */
            at: string | null;
            /** @enum {string} */
            catchUp: "none" | "last" | "all";
            /** Format: date-time */
            createdAt: string;
            /** @example 0 9 * * mon-fri */
            cron: string | null;
            enabled: boolean;
            /** @example null */
            every: string | null;
            /** Format: date-time */
            expiresAt: string | null;
            /** @example sch_0b6f5d1c2a3e4f5061728394a5b6c7d8 */
            id: string;
            input: string | {
                [key: string]: unknown;
            }[];
            jitterSeconds: number;
            /**
             * Format: date-time
             * @description The planned time of that run.
             */
            lastAt: string | null;
            /** @description The id of the run of the last planned time. */
            lastRunId: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            modelOptions: {
                [key: string]: unknown;
            } | null;
            /** @example Morning report */
            name: string;
            /**
             * Format: date-time
             * @description The next planned time; null if there is none.
             */
            nextAt: string | null;
            /**
             * @description `code`: an agent declares it; it is changed there.
             * @enum {string}
             */
            origin: "api" | "code";
            /** @enum {string} */
            overlap: "skip" | "queue" | "cancel";
            /** @example new */
            session: string;
            /** @description Why the server has disabled it; null if it has not. */
            suspendedReason: string | null;
            /** @example Europe/Berlin */
            timezone: string;
            /** @description The user that its runs belong to. */
            user: string;
        };
        ScheduleListDto: {
            data: components["schemas"]["ScheduleDto"][];
            /** @description The `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        ServerToolDto: {
            /** @description The hints of its provider, as MCP defines them. */
            annotations: {
                [key: string]: unknown;
            } | null;
            description: string;
            /**
             * @description What a repeated call would do; `unsafe` calls are never repeated.
             * @enum {string}
             */
            effects: "none" | "idempotent" | "unsafe";
            /** @description Whether calls can need an approval, depending on their arguments. */
            mayAsk: boolean;
            /** @example calendar_write */
            name: string;
            /**
             * @description The JSON Schema of its arguments.
             * @example {
             *       "type": "object"
             *     }
             */
            parameters: {
                [key: string]: unknown;
            };
            /**
             * @description The label of its MCP server; `local` for a tool of this server.
             * @example local
             */
            server: string;
            /** @description Milliseconds after which a call is aborted. */
            timeoutMs: number;
        };
        ServerToolListDto: {
            data: components["schemas"]["ServerToolDto"][];
            /** @description Always null: all tools are on one page. */
            nextCursor: string | null;
        };
        SessionListDto: {
            data: components["schemas"]["SessionSummaryDto"][];
            /** @description The `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        SessionMessageDto: {
            /** Format: date-time */
            createdAt: string;
            /** @description As the Agent API shows it. */
            message: {
                [key: string]: unknown;
            };
            /** @description null: it was added outside of a run. */
            runId: string | null;
            /** @description Grows with every message of the session; may have gaps. */
            seq: number;
        };
        SessionMessagesDto: {
            data: components["schemas"]["SessionMessageDto"][];
            /** @description The `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        SessionSummaryDto: {
            /** Format: date-time */
            createdAt: string;
            /** @example session-1 */
            id: string;
            lastRun: components["schemas"]["LastRunDto"] | null;
            /** @description How many messages were added to it, including removed ones. */
            messageCount: number;
            /**
             * @description The first 200 characters of the first text of the user; null if its runs have none.
             * @example What is the weather in Graz?
             */
            title: string | null;
            /** Format: date-time */
            updatedAt: string;
            /** @example alice */
            userId: string;
        };
        TakeoverDto: {
            /** Format: date-time */
            at: string;
            /**
             * @description The attempt that began.
             * @example 2
             */
            attempt: number;
            /** @description Messages that were discarded and written again. */
            discardedMessageIds: string[];
            /** @description How many finished steps were not repeated. */
            resumedFromStep: number;
            /** @description The number of the event that records it. */
            seq: number;
        };
        TaskAcceptedDto: {
            /** @description Whether this request created the thread. */
            created: boolean;
            /** @example run-001 */
            runId: string;
            /**
             * @description The server's id of the run: a UUID of version 7.
             * @example 0199d3f0-5c1e-7a41-9b02-3f6c8d1e7a55
             */
            taskId: string;
            /**
             * Format: uuid
             * @example 550e8400-e29b-41d4-a716-446655440000
             */
            threadId: string;
        };
        TextBlockDto: {
            /** @description At most 10,000 characters (code points) in all text blocks of the message together. */
            text: string;
            /** @enum {string} */
            type: "text";
        };
        TextContentDto: {
            /** @description true: a piece to append (text, refusal), or the value so far (other types). false: the whole value. */
            delta?: boolean | null;
            error?: components["schemas"]["ErrorModelDto"] | null;
            /** @description The position in the message, from 0. */
            index?: number | null;
            /** @description The message this content belongs to. */
            msg_id?: string | null;
            /** @enum {string} */
            object?: "content";
            /** @enum {string|null} */
            status?: "created" | "in_progress" | "completed" | "canceled" | "failed" | "rejected" | "unknown" | "queued" | "incomplete" | null;
            /** @example What is the capital of France? */
            text?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
        };
        TokenUsageDto: {
            /** @description Part of `inputTokens`. */
            cachedTokens?: number;
            /** @example 120 */
            inputTokens: number;
            /** @example 48 */
            outputTokens: number;
            /** @description Part of `outputTokens`. */
            reasoningTokens?: number;
            /** @example 168 */
            totalTokens: number;
        };
        VideoContentDto: {
            /** @description true: a piece to append (text, refusal), or the value so far (other types). false: the whole value. */
            delta?: boolean | null;
            error?: components["schemas"]["ErrorModelDto"] | null;
            /** @description The position in the message, from 0. */
            index?: number | null;
            /** @description The message this content belongs to. */
            msg_id?: string | null;
            /** @enum {string} */
            object?: "content";
            /** @enum {string|null} */
            status?: "created" | "in_progress" | "completed" | "canceled" | "failed" | "rejected" | "unknown" | "queued" | "incomplete" | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "video";
            video_url?: string | null;
        };
        WebhookDto: {
            /**
             * @description Globs; null: all agents.
             * @example [
             *       "support-*"
             *     ]
             */
            agents: string[] | null;
            /** Format: date-time */
            createdAt: string;
            /** @example Nightly reports */
            description: string | null;
            /** @description Why the server has disabled it; null if it has not. */
            disabledReason: string | null;
            enabled: boolean;
            /**
             * @description Names and globs of events: `run.started`, `run.completed`, `run.incomplete`, `run.failed`, `run.canceled`, `run.interrupted`, `interrupt.requested`, `interrupt.answered`, `interrupt.expired`, `budget.threshold`, `budget.exceeded`, `schedule.missed`, `schedule.suspended`, `endpoint.test`. `run.started` has to be named literally. Empty: only runs that name the endpoint.
             * @example [
             *       "run.*",
             *       "interrupt.requested"
             *     ]
             */
            events: string[];
            /**
             * @description `openai`: the events of the webhooks of OpenAI, of runs alone.
             * @enum {string}
             */
            format: "parley" | "openai";
            /** @example wh_0b6f5d1c2a3e4f5061728394a5b6c7d8 */
            id: string;
            /** @description Content that events have besides ids and states. */
            include: ("output" | "error" | "arguments")[];
            /**
             * Format: date-time
             * @description When the receiver last took an event, accurate to a minute.
             */
            lastSuccessAt: string | null;
            /** @example https://example.com/hooks/parley */
            url: string;
        };
        WebhookListDto: {
            data: components["schemas"]["WebhookDto"][];
            /** @description Always null: all endpoints are on one page. */
            nextCursor: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    attachments_upload: {
        parameters: {
            query?: {
                /** @description The user, as in requests that start runs. Default: the user of requests that name none. */
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["AttachmentUploadDto"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachmentDto"];
                };
            };
            /** @description There is no credential, or it is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The caller lacks the scope, or may not act for the user that the request names. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The file is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachmentErrorDto"];
                };
            };
            /** @description The body is not multipart, or the file is not an accepted image type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachmentErrorDto"];
                };
            };
            /** @description The file is missing, empty or broken. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachmentErrorDto"];
                };
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    runs_submit: {
        parameters: {
            query?: {
                /** @description If a run of the thread is unfinished: wait for it, be refused with 409, cancel it and keep its work, or cancel it and remove its messages. */
                multitask?: "enqueue" | "reject" | "interrupt" | "rollback";
                /** @description Returns the event stream, as does `Accept: text/event-stream`. */
                prefer?: "stream";
                /** @description Whether the run continues when the client disconnects before the end. */
                on_disconnect?: "continue" | "cancel";
            };
            header?: {
                /** @description The language of cards and of texts of tools. */
                "Accept-Language"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunsRunAgentInputDto"];
            };
        };
        responses: {
            /** @description The run is committed. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskAcceptedDto"];
                    "text/event-stream": components["schemas"]["TaskAcceptedDto"];
                };
            };
            /** @description The body is not a JSON object, or the event id is malformed or of another run. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunsErrorDto"];
                    "text/event-stream": components["schemas"]["RunsErrorDto"];
                };
            };
            /** @description There is no credential, or it is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The caller lacks the scope, or may not act for the user that the request names. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unknown thread or run. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunsErrorDto"];
                    "text/event-stream": components["schemas"]["RunsErrorDto"];
                };
            };
            /** @description The thread is busy, the run id was used with another payload, or the event id is ahead of the run. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunsErrorDto"];
                    "text/event-stream": components["schemas"]["RunsErrorDto"];
                };
            };
            /** @description The body is longer than 262,144 bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunsErrorDto"];
                    "text/event-stream": components["schemas"]["RunsErrorDto"];
                };
            };
            /** @description The body is not JSON in UTF-8. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunsErrorDto"];
                    "text/event-stream": components["schemas"]["RunsErrorDto"];
                };
            };
            /** @description The request violates a rule. `message` names the first violation. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunsErrorDto"];
                    "text/event-stream": components["schemas"]["RunsErrorDto"];
                };
            };
            /** @description Too many runs are waiting. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunsErrorDto"];
                    "text/event-stream": components["schemas"]["RunsErrorDto"];
                };
            };
            /** @description The server is shutting down, or the database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunsErrorDto"];
                    "text/event-stream": components["schemas"]["RunsErrorDto"];
                };
            };
        };
    };
    catalog_listAgents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentListDto"];
                };
            };
            /** @description There is no credential, or it is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The caller lacks the scope, or may not act for the user that the request names. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The server is shutting down, or its database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
        };
    };
    runsRead_list: {
        parameters: {
            query?: {
                /** @description The user it belongs to, where several users have the same id. As the header X-User-Id. */
                user?: string;
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
                /** @description Only runs with this status. */
                status?: "queued" | "running" | "completed" | "incomplete" | "failed" | "canceled" | "interrupted";
                /** @description Only runs of this agent type. */
                agent?: string;
                /** @description Only runs that this wire has accepted. */
                wire?: string;
                /** @description Only runs created at or after this time. */
                since?: string;
                /** @description Only runs created before this time. */
                until?: string;
                /** @description Only runs whose `input` contains this text, or whose id or session id it is. */
                text?: string;
                /** @description Only runs of the session with this id. */
                session?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunListDto"];
                };
            };
            /** @description A parameter is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description There is no credential, or it is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The caller lacks the scope, or may not act for the user that the request names. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Several users have this id (name one), or the cursor is beyond the end. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The server is shutting down, or its database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
        };
    };
    runsRead_read: {
        parameters: {
            query?: {
                /** @description The user it belongs to, where several users have the same id. As the header X-User-Id. */
                user?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDetailDto"];
                };
            };
            /** @description There is no credential, or it is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The caller lacks the scope, or may not act for the user that the request names. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Unknown, or outside the reach of the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Several users have this id (name one), or the cursor is beyond the end. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The server is shutting down, or its database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
        };
    };
    runLog_events: {
        parameters: {
            query?: {
                /** @description The user it belongs to, where several users have the same id. As the header X-User-Id. */
                user?: string;
                /** @description The `seq` of the last event that the reader has. */
                after?: number;
                limit?: number;
                /** @description Only events whose JSON contains this text, in any case. */
                text?: string;
                /** @description Only events of these types, separated by commas. */
                type?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPageDto"];
                };
            };
            /** @description A parameter is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description There is no credential, or it is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The caller lacks the scope, or may not act for the user that the request names. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Unknown, or outside the reach of the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Several users have this id (name one), or the cursor is beyond the end. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description The events of this run were removed. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The server is shutting down, or its database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
        };
    };
    runsRead_response: {
        parameters: {
            query?: {
                /** @description The user it belongs to, where several users have the same id. As the header X-User-Id. */
                user?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentResponseDto"];
                };
            };
            /** @description There is no credential, or it is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The caller lacks the scope, or may not act for the user that the request names. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Unknown, or outside the reach of the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Several users have this id (name one), or the cursor is beyond the end. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The server is shutting down, or its database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
        };
    };
    schedules_list: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleListDto"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description No credential, or one that is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description The caller lacks the scope, or would grant what it does not have. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
        };
    };
    schedules_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateScheduleDto"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleDto"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description No credential, or one that is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description The caller lacks the scope, or would grant what it does not have. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Unknown, or of another tenant. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description The current state does not allow it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
        };
    };
    sessions_list: {
        parameters: {
            query?: {
                /** @description The user it belongs to, where several users have the same id. As the header X-User-Id. */
                user?: string;
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionListDto"];
                };
            };
            /** @description A parameter is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description There is no credential, or it is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The caller lacks the scope, or may not act for the user that the request names. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The server is shutting down, or its database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
        };
    };
    sessions_messages: {
        parameters: {
            query?: {
                /** @description The user it belongs to, where several users have the same id. As the header X-User-Id. */
                user?: string;
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
                /** @description By age; `desc`: newest first. */
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionMessagesDto"];
                };
            };
            /** @description A parameter is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description There is no credential, or it is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The caller lacks the scope, or may not act for the user that the request names. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Unknown, or outside the reach of the caller. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Several users have this id (name one), or the cursor is beyond the end. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The server is shutting down, or its database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
        };
    };
    catalog_listTools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerToolListDto"];
                };
            };
            /** @description There is no credential, or it is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The caller lacks the scope, or may not act for the user that the request names. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The server is shutting down, or its database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
        };
    };
    webhooks_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookListDto"];
                };
            };
            /** @description No credential, or one that is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description The caller lacks the scope, or would grant what it does not have. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
        };
    };
    webhooks_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookDto"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedWebhookDto"];
                };
            };
            /** @description The request is not valid; nothing was changed. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description No credential, or one that is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description The caller lacks the scope, or would grant what it does not have. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description The current state does not allow it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
        };
    };
    interrupts_list: {
        parameters: {
            query?: {
                /** @description Only those of this user. Without it, and without authentication, those of all users. */
                user_id?: string;
                /** @description Only those with one of these: pending, approved, denied, answered, cancelled, expired; several are separated by commas. */
                status?: string;
                /** @description Only those of this session. */
                session_id?: string;
                limit?: number;
                /** @description `nextCursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InterruptListDto"];
                };
            };
            /** @description The request is not valid, or the answer does not fit the interrupt. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description There is no credential, or it is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The caller lacks the scope, or may not act for the user that the request names. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The server is shutting down or its database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
        };
    };
    interrupts_read: {
        parameters: {
            query?: {
                /** @description Only those of this user. Without it, and without authentication, those of all users. */
                user_id?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InterruptDto"];
                };
            };
            /** @description There is no credential, or it is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The caller lacks the scope, or may not act for the user that the request names. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unknown interrupt, or one of another user. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The server is shutting down or its database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
        };
    };
    interrupts_answer: {
        parameters: {
            query?: {
                /** @description Only those of this user. Without it, and without authentication, those of all users. */
                user_id?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InterruptAnswerDto"];
            };
        };
        responses: {
            /** @description The interrupt; `resumedByRunId` is the run that continues. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InterruptDto"];
                };
            };
            /** @description The request is not valid, or the answer does not fit the interrupt. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description There is no credential, or it is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The caller lacks the scope, or may not act for the user that the request names. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unknown interrupt, or one of another user. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description The interrupt was already answered. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description The interrupt has expired. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
            /** @description Too many requests; `Retry-After` has the seconds to wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The server is shutting down or its database is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBodyDto"];
                };
            };
        };
    };
}
