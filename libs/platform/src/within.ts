/**
 * Resolves or rejects as `work` does, or as `late` does once `ms` milliseconds have passed without that. The timer ends
 * with it and keeps no process; `work` goes on.
 */
export async function within<Done, Late>(ms: number, work: Promise<Done>, late: () => Late): Promise<Done | Late> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms).unref();
  });
  try {
    return await Promise.race([work, over.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
