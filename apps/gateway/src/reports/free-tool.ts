import type { HostName } from '@app/hosts';
import type { Content } from '@app/payments';
import type { z } from 'zod';
import type { ObjectSchema } from '../routes/json-schema';
import type { Credential } from '../checkout/credential';
import type { ErrorCode } from '../http/error-codes';
import { validated } from '../http/validated';
import type { ChangeHistory } from './change-history';
import type { HostReportsService } from './host-reports.service';
import type { PayableHostsList } from './payable-hosts';
import { inputSchema } from '../routes/input-schema';

/** The services that free tools read from, the same as those of the REST routes. */
export interface FreeToolDeps {
  readonly reports: Pick<HostReportsService, 'lookup'>;
  readonly changes: Pick<ChangeHistory, 'read'>;
  readonly payable: Pick<PayableHostsList, 'find'>;
}

/** The caller, for limits and subscriptions. */
export interface Caller {
  readonly ip: string;
  /** The credential of a subscriber, if the caller sent one. */
  readonly credentialFor: (host: HostName) => Promise<Credential | undefined>;
  /** How long a first lookup may wait for a free probe (`Prefer: wait`), in milliseconds. */
  readonly waitMs: number;
}

interface Texts {
  /** Name of the tool and of the operation in OpenAPI. */
  readonly name: string;
  readonly title: string;
  readonly what: string;
  readonly freshness: string;
  readonly errors: readonly ErrorCode[];
  readonly failures?: string;
  /** When to use another tool instead. */
  readonly instead: string;
  /** Name of the answer's schema in OpenAPI. */
  readonly component: string;
  readonly answer: z.ZodObject;
}

/** A free, read-only tool. */
export interface FreeTool extends Texts {
  readonly input: ObjectSchema;
  /** The answer as JSON. @throws {RequestError} 400 for arguments that cannot be read */
  readonly run: (raw: unknown, deps: FreeToolDeps, caller: Caller) => Promise<Content>;
}

export function defineFreeTool<Input extends object>(
  definition: Texts & {
    /** Arguments, checked by class-validator; the JSON Schema is derived. */
    readonly input: new () => Input;
    readonly run: (input: Input, deps: FreeToolDeps, caller: Caller) => Promise<Content>;
  },
): FreeTool {
  const { input, run } = definition;
  return {
    ...definition,
    input: inputSchema(input),
    run: (raw, deps, caller) => run(validated(input, raw), deps, caller),
  };
}

/** The texts of a tool's route in OpenAPI. @param more follows the description of the tool */
export function operationTexts({ name, title, what, freshness }: FreeTool, more: string) {
  return { operationId: name, summary: title, description: `${what} Freshness: ${freshness} ${more}`.trimEnd() };
}
