import { AsyncLocalStorage } from 'node:async_hooks';
import { BaseError, ContractFunctionRevertedError, ContractFunctionZeroDataError, ExecutionRevertedError } from 'viem';

interface Call {
  failure?: unknown;
}

/**
 * Remembers which reads of the node failed during a call of the facilitator. The SDK takes every failure for a fault of
 * the payment; a node that is away, limits requests or lags says nothing about it.
 */
export class NodeWatch {
  private readonly calls = new AsyncLocalStorage<Call>();

  /**
   * @param accepted whether an answer is a yes: a yes counts, even after failed reads
   * @throws Error when the answer is a no, and a read failed on the way to it
   */
  async judge<Answer>(call: () => Promise<Answer>, accepted: (answer: Answer) => boolean): Promise<Answer> {
    const reads: Call = {};
    const answer = await this.calls.run(reads, call);
    if (reads.failure === undefined || accepted(answer)) return answer;
    throw new Error('the node did not respond', { cause: reads.failure });
  }

  /** A read that belongs to the call under way. */
  async read<Result>(reading: Promise<Result>): Promise<Result> {
    try {
      return await reading;
    } catch (error) {
      const call = this.calls.getStore();
      if (call && !isContractAnswer(error)) call.failure = error;
      throw error;
    }
  }
}

/** A contract that reverts, or that is not there, is an answer. */
function isContractAnswer(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const word = error.walk(
    (cause) =>
      cause instanceof ContractFunctionRevertedError ||
      cause instanceof ContractFunctionZeroDataError ||
      cause instanceof ExecutionRevertedError,
  );
  return word !== null;
}
