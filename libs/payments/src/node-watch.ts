import { AsyncLocalStorage } from 'node:async_hooks';
import { BaseError, ContractFunctionRevertedError, ContractFunctionZeroDataError, ExecutionRevertedError } from 'viem';

interface Call {
  failure?: unknown;
}

/**
 * Records which node reads failed during a facilitator call. The SDK blames every failure on the payment, but a node
 * that is down, rate limited or lagging says nothing about it.
 */
export class NodeWatch {
  private readonly calls = new AsyncLocalStorage<Call>();

  /**
   * @param accepted whether an answer is positive; a positive answer counts even after failed reads
   * @throws Error if the answer is negative and a read failed before it
   */
  async judge<Answer>(call: () => Promise<Answer>, accepted: (answer: Answer) => boolean): Promise<Answer> {
    const reads: Call = {};
    const answer = await this.calls.run(reads, call);
    if (reads.failure === undefined || accepted(answer)) return answer;
    throw new Error('the node did not respond', { cause: reads.failure });
  }

  /** Runs a read as part of the current call. */
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

/** A revert or a missing contract is an answer of the node, not a failure. */
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
