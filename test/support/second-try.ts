/**
 * Real processes share two cores here: in CI a test that failed is tried once more, and the summary names it, so that one
 * lost race does not hide what else a run has to say. A fault of the code fails twice.
 */
if (process.env['CI']) jest.retryTimes(1, { logErrorsBeforeRetry: true });
