import { AsyncLocalStorage } from 'node:async_hooks';

/** Identifies a request while it is being handled. Callers may send the same id twice. */
export interface NamedRequest {
  readonly id: string;
}

const current = new AsyncLocalStorage<NamedRequest>();

/** Runs `work` in the context of a request: all log lines of it, and of anything it starts, have its id. */
export function workFor<T>(request: NamedRequest, work: () => T): T {
  return current.run(request, work);
}

/** The request of the current context; undefined outside of one. */
export function currentRequest(): NamedRequest | undefined {
  return current.getStore();
}

export function requestId(): string | undefined {
  return current.getStore()?.id;
}
